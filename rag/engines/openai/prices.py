"""What tokens cost: list prices of a few models, under whatever the settings say."""

from __future__ import annotations

from collections.abc import Mapping

from state.errors import SettingsError
from state.settings import Settings

LISTED_IN = "March 2026"
LISTED: Mapping[str, tuple[float, float]] = {
    # USD per million input and output tokens, as OpenAI listed them in that month.
    "gpt-4o": (2.50, 10.00),
    "gpt-4o-mini": (0.15, 0.60),
    "gpt-4.1": (2.00, 8.00),
    "gpt-4.1-mini": (0.40, 1.60),
    "gpt-4.1-nano": (0.10, 0.40),
    "gpt-5.4": (2.50, 15.00),
    "gpt-5.1": (1.25, 10.00),
    "gpt-5": (1.25, 10.00),
    "gpt-5-mini": (0.25, 2.00),
    "gpt-5-nano": (0.05, 0.40),
    "o3": (2.00, 8.00),
    "o3-mini": (1.10, 4.40),
    "o4-mini": (1.10, 4.40),
}


def price_of(model: str, settings: Settings) -> tuple[float, float] | None:
    """USD per million (input, output) tokens, or None for a model nobody priced.

    A router's prefix ("openai/gpt-4o") is dropped for the built-in list.
    """
    if model in settings.prices:
        return settings.prices[model]
    return LISTED.get(model.removeprefix("openai/"))


def dated(model: str, settings: Settings) -> str:
    """Where a price comes from, to be said behind it."""
    return "" if model in settings.prices else f" at the list prices of {LISTED_IN}"


def cost_of(price: tuple[float, float] | None, inputs: int, outputs: int) -> float | None:
    """USD, or None without a price."""
    return None if price is None else (inputs * price[0] + outputs * price[1]) / 1e6


def require_prices(settings: Settings) -> None:
    """Raises SettingsError if a money budget is set for a model without a price."""
    if settings.max_cost is None:
        return
    for model in {settings.model, settings.grade_model or settings.model}:
        if price_of(model, settings) is None:
            raise SettingsError(
                f"--max-cost cannot be kept: there is no price for model {model}.",
                f'Add it to the settings: prices = {{"{model}" = [USD, USD]}} (per million '
                "input and output tokens), or use --max-tokens.",
            )
