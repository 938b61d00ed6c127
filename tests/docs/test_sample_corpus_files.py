"""The sample corpus is what its questions say: files there, answers in them."""

import json
import re
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "sample_corpus"
QUESTIONS = [json.loads(line) for line in (ROOT / "questions.jsonl").read_text().splitlines()]


def match_words(path: Path) -> str:
    if path.suffix == ".pdf":
        import pypdfium2 as pdfium

        pages = (page.get_textpage() for page in pdfium.PdfDocument(path))
        text = " ".join(page.get_text_range() for page in pages)
    elif path.suffix == ".docx":
        with zipfile.ZipFile(path) as packed:
            text = re.sub(r"<[^>]+>", " ", packed.read("word/document.xml").decode())
    else:
        text = path.read_text(encoding="utf-8")
    return " ".join(re.sub(r"\s+", " ", text).casefold().split()).replace("&amp;", "&")


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["id"])
def test_each_question_is_true_of_the_files_it_names(question):
    texts = [match_words(ROOT / name) for name in question["relevant"]]
    assert question["answerable"] == bool(texts) == bool(question["answers"])
    for answer in question["answers"]:
        assert any(answer.casefold() in text for text in texts), answer
    if question["kind"] == "contradicting":
        for text in texts:
            held = [a for a in question["answers"] if re.search(rf"\b{a.casefold()}\b", text)]
            assert len(held) == 1, held
    assert bool(question["history"]) == (question["kind"] == "follow_up")
