from hypothesis import given, settings
from hypothesis import strategies as st
from memory_collection import MemoryCollection

from rag.answering.refine import KEPT_SHARE, refine

TUNNEL = (
    "# The tunnel\n\nThe Corbel Tunnel is 386 m long. It was dug between 1889 and 1893 by 300 men. "
    "Water drips from the roof in spring. Moss grows on the eastern portal. "
    "The lining was renewed after the war with brick from the valley works."
)
FLEET = (
    "Engines of the line:\n\n| Engine | Seats | Built |\n|---|---|---|\n| Swift | 38 | 1921 |\n"
    "| Boggart | 12 | 1899 |\n| Curlew | 20 | 1904 |\n\nAll are kept in the depot at Langrigg, "
    "where visitors may see them on Sundays between May and September."
)


def collection(**texts):
    return MemoryCollection({f"{name}.md": text for name, text in texts.items()})


def refined(question, reader):
    chunks = reader.search(question, 8)
    return refine(question, chunks, {}, reader)


def spans(passages):
    return [span["text"] for passage in passages for span in passage["spans"]]


def test_the_sentence_asked_for_stays_and_the_text_shrinks():
    reader = collection(tunnel=TUNNEL, fleet=FLEET)
    passages = refined("How long is the Corbel Tunnel?", reader)
    assert passages[0]["source"] == "tunnel.md"
    assert "The Corbel Tunnel is 386 m long." in passages[0]["spans"][0]["text"]
    assert sum(map(len, spans(passages))) <= KEPT_SHARE * len(TUNNEL + FLEET)
    assert [passage["number"] for passage in passages] == list(range(1, len(passages) + 1))


def test_a_pronoun_keeps_the_sentence_it_points_to():
    reader = collection(tunnel=TUNNEL)
    kept = " ".join(spans(refined("When was the tunnel dug?", reader)))
    assert "It was dug between 1889" in kept
    assert "The Corbel Tunnel is 386 m long." in kept


def test_a_table_row_keeps_its_head():
    reader = collection(fleet=FLEET)
    kept = "\n".join(spans(refined("How many seats does the Swift have?", reader)))
    assert "| Swift | 38 | 1921 |" in kept
    assert "| Engine | Seats | Built |" in kept
    assert "All are kept" not in kept


def test_nothing_in_nothing_out_and_a_chunk_twice_counts_once():
    reader = collection(tunnel=TUNNEL)
    assert refine("What?", [], {}, reader) == []
    chunk = reader.chunk("tunnel.md")
    assert len(refine("How long is it?", [chunk, {**chunk, "chunk_id": "again"}], {}, reader)) == 1


def test_a_chunk_of_rubbish_is_survived():
    reader = collection(rubbish="\x00\x1b[31m ||| \n```\n#\n")
    assert refined("How long is the tunnel?", reader)
    blank = {**reader.chunk("rubbish.md"), "text": " \n ", "end_char": 3}
    assert refine("How long?", [blank], {}, reader) == []


PIECES = st.sampled_from(
    [
        "# Head\n\n",
        "It is 5 m. ",
        "The roof fell in 1890. ",
        "- item\n",
        "| a | b |\n",
        "\n\n",
        "中文。",
        "```\nx\n```\n",
    ]
)


@settings(max_examples=60)
@given(st.lists(PIECES, min_size=1, max_size=12).map("".join), st.text(max_size=30))
def test_every_span_is_a_slice_with_its_lines(text, question):
    reader = collection(a=text)
    before = "first line\nsecond line\n"
    chunk = {
        **reader.chunk("a.md"),
        "start_char": len(before),
        "end_char": len(before) + len(text),
        "start_line": 3,
    }
    whole = before + text
    for passage in refine(question, [chunk], {}, reader):
        ends = [(span["start_char"], span["end_char"]) for span in passage["spans"]]
        assert ends == sorted(ends)
        for span in passage["spans"]:
            assert whole[span["start_char"] : span["end_char"]] == span["text"]
            assert span["start_line"] == whole.count("\n", 0, span["start_char"]) + 1
            assert span["end_line"] == whole.count("\n", 0, span["end_char"]) + 1
