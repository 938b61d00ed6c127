"""What a question may spend is looked at before each call."""

from threading import Thread

import pytest
from openai_samples import settings_for

from rag.budget import Budget, BudgetSpent
from rag.engines.openai.usage_meter import UsageMeter, price_of, require_prices
from state.errors import SettingsError


def test_without_limits_nothing_is_ever_spent():
    budget = Budget.start(settings_for())
    budget.add(10**9, 10**6)
    budget.check()
    assert budget.room(10**9, None) is None
    assert budget.seconds_left() is None
    assert not budget.counts


def test_time_runs_from_the_start():
    now = [100.0]
    budget = Budget.start(settings_for(timeout=2.0), clock=lambda: now[0])
    assert budget.seconds_left() == 2.0
    now[0] = 102.0
    with pytest.raises(BudgetSpent, match="--timeout"):
        budget.check()


def test_tokens_leave_room_for_what_is_left():
    budget = Budget(max_tokens=1000)
    budget.add(300, None)
    assert budget.room(200, None) == 500
    with pytest.raises(BudgetSpent, match="1,000 tokens"):
        budget.room(700, None)
    budget.add(700, None)
    with pytest.raises(BudgetSpent, match="--max-tokens"):
        budget.check()


def test_money_leaves_room_at_the_model_s_price():
    budget = Budget(max_cost=0.01)
    assert budget.room(1000, (1.0, 2.0)) == 4500
    budget.add(1000, 0.0095)
    with pytest.raises(BudgetSpent, match=r"\$0.01"):
        budget.room(1000, (1.0, 2.0))
    budget.add(1, 0.0005)
    with pytest.raises(BudgetSpent, match="--max-cost"):
        budget.check()


def test_the_tighter_limit_counts():
    assert Budget(max_tokens=500, max_cost=0.01).room(100, (1.0, 2.0)) == 400


def test_a_small_limit_is_told_in_plain_figures():
    budget = Budget(max_cost=0.0000001)
    budget.add(1, 1.0)
    with pytest.raises(BudgetSpent, match=r"\(\$0\.0000001\)"):
        budget.check()


def test_a_money_budget_needs_a_price():
    require_prices(settings_for(max_cost=1.0))
    require_prices(settings_for(model="llama3"))
    require_prices(settings_for(model="llama3", max_cost=1.0, prices={"llama3": (0, 0)}))
    with pytest.raises(SettingsError, match="no price for model llama3"):
        require_prices(settings_for(model="llama3", max_cost=1.0))


def test_prices_of_the_settings_come_first():
    assert price_of("gpt-4o-mini", settings_for()) == (0.15, 0.60)
    assert price_of("openai/gpt-4o-mini", settings_for()) == (0.15, 0.60)
    assert price_of("gpt-4o-mini", settings_for(prices={"gpt-4o-mini": (9, 9)})) == (9, 9)
    assert price_of("llama3", settings_for()) is None


def test_a_meter_adds_up_from_several_threads_and_charges_the_budget():
    meter = UsageMeter(Budget())
    add = lambda: [meter.add(2, 1, (1.0, 1.0), estimated=False) for _ in range(500)]  # noqa: E731
    threads = [Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert meter.usage["llm_calls"] == 2000
    assert meter.usage["input_tokens"] == 4000
    assert meter.usage["cost_usd"] == pytest.approx(6000e-6)
    assert meter.budget.tokens == 6000
    assert "estimated" not in meter.usage


def test_one_unpriced_call_makes_the_cost_unknown():
    meter = UsageMeter(Budget())
    meter.add(1, 1, (1.0, 1.0), estimated=False)
    meter.add(1, 1, None, estimated=True)
    assert meter.usage["cost_usd"] is None
    assert meter.usage["estimated"] is True
