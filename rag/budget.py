"""Placeholder until the engine's own budget lands."""


class BudgetSpent(Exception):  # noqa: N818
    """A budget of the question is spent; the message says which."""
