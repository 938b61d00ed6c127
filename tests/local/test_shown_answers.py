"""Answers as a person reads them, where a page is cut to chunks and excerpts."""

from __future__ import annotations

import re

import pytest
from ingest_runs import session_of

LONG = "Firing the big kiln " + "of the north yard by night " * 5 + "without haste"
FILLER = "The yard is swept by the keeper, and nobody minds the dust on the shelves. " * 18
QUEUE = f"""---
title: The queue
weight: 12
---

# {LONG}

{FILLER}

A firing needs eleven hours of patience.

## Losses

- Shelves break:
  - Shelf full: the oven holds 1000 pots, and the next ones are refused. {FILLER[:1030]}
  - Shelf late: a pot that waits longer than the cordierite limit of five days is thrown away.
  - Shelf lost: nobody knows.

{FILLER}
"""
CODE = "# Firing schedule\n\nThe ramp is set so:\n\n```yaml\nramps:\n" + "".join(
    f"  - step: {number}\n    kelvin: {number * 7}\n\n" for number in range(150)
)
RELEASES = "# Releases\n" + "".join(
    f"\n## Kiln {number}.0\n\n### What is new\n\n- {new} is new. {'It was long asked for. ' * 45}\n"
    for number, new in enumerate(("The pyrometer", "The damper", "The chamotte shelf"), start=1)
)


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    texts = {"queue.md": QUEUE, "releases.md": RELEASES, "schedule.md": CODE + "```\n"}
    with session_of(tmp_path_factory.mktemp("shown"), texts) as session:
        yield session


def test_a_heading_is_shown_whole_or_not_at_all(session):
    answer = session.ask("How many hours of patience does a firing need?")
    assert "eleven hours" in answer["answer"]
    assert LONG[:60] not in answer["answer"].replace(LONG, "")


def test_fields_that_do_not_answer_are_not_shown(session):
    assert "weight:" not in session.ask("How many hours of patience does a firing need?")["answer"]


@pytest.mark.parametrize("question", ["kelvin of step 77", "Can the ramp be set in kelvin?"])
def test_code_is_set_in_and_no_marker_stands_on_its_line(session, question):
    lines = session.ask(question)["answer"].split("\n")
    assert [line for line in lines if re.fullmatch(r"    +kelvin: \d+", line)]
    assert not [line for line in lines if re.search(r"kelvin: \d+.*\[\d", line)]
