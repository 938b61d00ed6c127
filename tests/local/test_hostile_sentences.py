"""Sentences made to be taken apart in more ways than there is time for."""

from __future__ import annotations

import time

import pytest
from ingest_runs import collection_of

from rag.engines.local.answer import generate
from rag.engines.protocol import GenerateRequest
from rag.question.parts import read_parts, split
from rag.reading.meaning import Meaning
from rag.reading.snippets import shown_snippets

SECONDS = 2


@pytest.mark.parametrize(
    "text",
    [
        "[mill]:x" * 60 + " turns 12 wheels a day.",
        "<mill>" * 200 + " turns 12 wheels a day.",
        "millwheel" * 100 + " turned 12 times a day.",
        "磨坊每天轉十二次" * 60 + " mill 12.",
    ],
)
def test_a_passage_is_read_in_time(text, tmp_path):
    reader = collection_of(
        tmp_path, {"mill.md": text, "other.md": "The mill turned 13 times a day."}
    )
    question = "How many times a day did the mill turn?"
    began = time.process_time()
    parts = read_parts(question, reader)
    questions = [part["question"] for part in parts]
    found = shown_snippets(questions, reader.search(question, 8), Meaning(tmp_path), reader)
    generate(GenerateRequest(question, parts, found, ()), str)
    assert time.process_time() - began < SECONDS


def test_a_question_with_a_long_word_is_split_in_time():
    began = time.process_time()
    split(f"What is the {'a' * 1_000}( and where is it?")
    assert time.process_time() - began < SECONDS


@pytest.mark.parametrize("piece", ["what is ", "who did ", "is ", "- ", "a.", "1"])
def test_a_long_question_is_analysed_in_time(piece, tmp_path):
    reader = collection_of(tmp_path, {"mill.md": "The mill turned 12 times a day."})
    began = time.process_time()
    read_parts(f"What is the mill {piece * (20_000 // len(piece))}?", reader)
    assert time.process_time() - began < SECONDS
