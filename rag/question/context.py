"""What a question is about stands behind it in brackets, where it does not say so itself."""

from __future__ import annotations


def with_context(question: str, context: str) -> str:
    return f"{question.rstrip()} ({context})" if context else question


def parted(question: str) -> tuple[str, str]:
    """The question without its context, and that; empty where it has none."""
    place = question.rfind(" (") if question.endswith(")") else -1
    return (question, "") if place < 0 else (question[:place], question[place + 2 : -1])
