"""The units an answer comes in: "how far" asks for a distance, "what is the price" for money."""

from __future__ import annotations

import re

from rag.answering.quantities import NUMBER

_LENGTH = "mm|cm|m|km|millimet(?:er|re)s?|centimet(?:er|re)s?|met(?:er|re)s?|kilomet(?:er|re)s?|"
_LENGTH += r"inch(?:es)?|in(?!\s+[\w£$€])|feet|foot|ft|yards?|yd|miles?|mi|acres?|hectares?"
_TIME = "seconds?|minutes?|min|hours?|h|days?|weeks?|months?|years?|decades?|centur(?:y|ies)"
_MONEY = "dollars|euros?|pounds|pence|cents|million|billion|krone|francs?|yen|USD|EUR|GBP|p"
_UNITS = tuple(
    (re.compile(asked, re.IGNORECASE), re.compile(unit, re.IGNORECASE))
    for asked, unit in (
        (
            (
                r"\bhow (?:much|expensive)\b.*\b(?:costs?|pay|paid|price|charged?|spen[dt]|earn)"
                r"|\bwhat\b.*\b(?:price|costs?|fee|fare|salary|budget)\b"
            ),
            rf"[$€£¥]\s?\d|(?:{NUMBER})\s*(?:{_MONEY})\b|\bfree\b",
        ),
        (
            r"\bhow (?:far|tall|high|deep|wide)\b|\bwhat\b.*\b(?:height|distance|width|depth)\b",
            rf"(?:{NUMBER})(?:\s+(?:hundred|thousand|million))?[\s-]*(?:{_LENGTH})\b",
        ),
        (
            r"\bhow long\b|\bwhat\b.*\b(?:length|duration)\b",
            (
                rf"(?:{NUMBER})(?:\s+(?:hundred|thousand|million))?[\s-]*(?:{_LENGTH}|{_TIME})\b"
                rf"|\b(?:a|an|several|many|few)\s+(?:{_TIME})\b"
            ),
        ),
        (
            r"\b(?:percentage|percent|per cent|proportion)\b",
            rf"(?:{NUMBER})\s*(?:%|per\s?cent)|\b(?:half|third|quarters?|majority)\b|one-\w+",
        ),
        (
            r"\bhow (?:hot|cold)\b|\btemperatures?\b",
            rf"(?:{NUMBER})\s*(?:°|degrees|K\b|C\b|F\b)",
        ),
        (
            r"\bhow fast\b|\bwhat\b.*\bspeed\b",
            rf"(?:{NUMBER})\s*(?:km/h|mph|kph|m/s|knots|(?:miles|kilomet\w+) (?:per|an) hour)",
        ),
        (
            r"\bhow heavy\b|\bhow much\b.*\bweigh|\bwhat\b.*\bweight\b",
            rf"(?:{NUMBER})\s*(?:kg|g|t|tons?|tonnes?|kilos?|kilograms?|grams?|pounds?|lbs?|oz)\b",
        ),
    )
)


def measure_asked(question: str) -> re.Pattern[str] | None:
    """What a quantity of the kind asked for looks like, or None where any number may do."""
    return next((unit for asked, unit in _UNITS if asked.search(question)), None)
