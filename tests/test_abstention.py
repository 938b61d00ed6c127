from rag.answering.abstention import LONGEST, abstention_text


def chunk(name, heading="", title=None, score=1.0):
    return {
        "chunk_id": name,
        "source": f"docs/{name}",
        "title": title,
        "heading": heading,
        "score": score,
    }


def grade(name, *, relevant, confidence):
    return {"chunk_id": name, "relevant": relevant, "confidence": confidence}


def test_it_says_what_was_sought_how_and_what_was_near():
    documents = [
        chunk("a.md", title="Fares"),
        chunk("b.md", heading="Line > Tunnel"),
        chunk("c.md"),
    ]
    grades = {
        "a.md": grade("a.md", relevant=False, confidence=0.1),
        "b.md": grade("b.md", relevant=False, confidence=0.4),
        "c.md": grade("c.md", relevant=False, confidence=0.2),
    }
    text = abstention_text("Who dug it?", ["Who dug it?", "tunnel digger"], documents, grades)
    assert "“Who dug it?”" in text
    assert "“tunnel digger”" in text
    assert text.index("Tunnel") < text.index("c.md") < text.index("Fares")
    assert "none of them relevant" in text


def test_nothing_found_and_nothing_searched():
    assert "No passage came near." in abstention_text("Who?", ["Who?"], [], {})
    assert "Nothing could be searched for." in abstention_text("", [], [], {})


def test_pasted_novels_stay_short():
    text = abstention_text("why " * 9000, ["why " * 9000], [chunk("x" * 5000)], {})
    assert len(text) < 5 * LONGEST
    assert "\n" not in text
