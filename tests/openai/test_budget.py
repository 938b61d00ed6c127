"""What a question may spend is looked at before each call."""

import pytest
from openai_samples import settings_for

from rag.budget import Budget, BudgetSpent, add_calls, record_call, record_calls
from rag.engines.openai.prices import charge, price_of, require_prices
from rag.engines.openai.reply import Reply
from state.answer import NO_USAGE
from state.errors import SettingsError


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
    assert budget.max_output_tokens(200, None) == 500
    with pytest.raises(BudgetSpent, match="1,000 tokens"):
        budget.max_output_tokens(700, None)
    budget.add(700, None)
    with pytest.raises(BudgetSpent, match="--max-tokens"):
        budget.check()


def test_money_leaves_room_at_the_model_s_price():
    budget = Budget(max_cost=0.01)
    assert budget.max_output_tokens(1000, (1.0, 2.0)) == 4500
    budget.add(1000, 0.0095)
    with pytest.raises(BudgetSpent, match=r"\$0.01"):
        budget.max_output_tokens(1000, (1.0, 2.0))
    budget.add(1, 0.0005)
    with pytest.raises(BudgetSpent, match="--max-cost"):
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


def test_one_unpriced_call_makes_the_cost_unknown():
    budget = Budget()
    counted = Reply("Yes.", usage={"input_tokens": 100, "output_tokens": 1, "total_tokens": 101})
    with record_calls() as calls:
        for price, reply in (((1.0, 1.0), counted), (None, Reply("Yes."))):
            with record_call("m", "h") as call:
                charge(call, [("user", "Is it so?")], reply, price, budget)
    usage = add_calls(NO_USAGE, "generate", calls)
    assert (usage["llm_calls"], NO_USAGE["by_node"]) == (2, {})
    assert usage["cost_usd"] is None
    assert usage["by_node"]["generate"]["estimated"] is True
    assert budget.tokens == sum(usage[f"{side}_tokens"] for side in ("input", "output"))
    both = add_calls(usage, "grade_documents", calls[:1])
    for key in ("llm_calls", "input_tokens", "output_tokens"):
        assert both[key] == sum(node[key] for node in both["by_node"].values()) > usage[key]
