"""What a reader gives of documents besides what a search finds, of both databases."""

from contextlib import closing

import pytest
from index_samples import entry

TEXT = "\n\n".join(f"Paragraph {number} tells of the whale." for number in range(9))


@pytest.fixture
def reader(store):
    with store.open_writer("default") as writer:
        writer.put_all([entry("a/whale.md", TEXT, "Whales"), entry("b.md", "Nothing but bread.")])
    with closing(store.open_collection("default")) as found:
        yield found


def paragraphs(chunks):
    return [int(chunk["text"].split()[1]) for chunk in chunks]


def test_the_chunks_around_one_and_the_first_of_a_document_come_in_order(reader):
    assert paragraphs(reader.document_chunks("a/whale.md", 3)) == [0, 1, 2]
    assert reader.document_chunks("nowhere.md", 3) == []
    chunks = reader.document_chunks("a/whale.md", 99)
    assert paragraphs(chunks) == list(range(9))
    assert paragraphs(reader.around(chunks[4]["chunk_id"], 2, 1)) == [2, 3, 4, 5]
    assert paragraphs(reader.around(chunks[0]["chunk_id"], 3, 0)) == [0]
    assert paragraphs(reader.around(chunks[8]["chunk_id"], 0, 5)) == [8]
    assert reader.around("00" * 8, 1, 1) == []


def test_an_outline_says_what_documents_are_about(reader):
    first, second = reader.outline(9)
    assert (first.source, first.title, first.headings) == ("a/whale.md", "Whales", ("Heading",))
    assert first.characters == len(TEXT)
    assert (second.source, second.title) == ("b.md", None)
    assert reader.outline(1) == [first]
