"""A small invented collection for the tests of the local engine."""

from pathlib import Path

from index_samples import document, open_collection, open_writer, part

from rag.engines.local.grade import grade
from rag.engines.protocol import Graded
from rag.index.reader import CollectionReader
from rag.question.parts import read_parts
from rag.reading.reranker import Reranker
from state.graph_state import GraphState, fresh

TEXTS = {
    "signals.md": "The signal box at Arnmoor was built in 1891. Its levers were cast in Leeds by "
    "the firm of Hollis and Dane.\n\nElectronic evidence of a signal passed at danger is kept for "
    "seven years in the archive at Corrie.",
    "snow.md": "The rotary snow plough clears the upper line in eleven hours. It burns heavy oil "
    "and needs a crew of four.",
    "bridge.md": "The Tarn viaduct carries the line over the gorge on fourteen arches. Magnus "
    "Thale designed the viaduct and died before it was opened.",
    "thale.md": "Magnus Thale was born in Bergen. He studied engineering in Zurich and painted "
    "watercolours of mountain lakes.",
    "fares.md": "A child's return ticket costs nine crowns. Dogs travel free in the guard's van.",
    "cheese.md": "The buffet car sells a hard cheese made from the milk of mountain goats.",
    "winter.md": "In winter the last train leaves the summit at four in the afternoon.",
    "legal.md": "Evidence in civil cases must be handed over within thirty days of the summons.",
    "de.md": "Die Bergbahn fährt im Sommer stündlich. Der Speisewagen verkauft Ziegenkäse.",
    "ja.md": "山の鉄道は夏に一時間ごとに走ります。食堂車では山羊のチーズを売っています。",
}


def build(home: Path, texts: dict[str, str] | None = None) -> CollectionReader:
    with open_writer(home, "railway") as writer:
        for source, text in (TEXTS if texts is None else texts).items():
            named = document(source, title=source.partition(".")[0])
            writer.put_all([(named, [part(text)])])
    return open_collection(home, "railway")


def searched(collection: CollectionReader, question: str) -> GraphState:
    """The state of a question as what it found is graded."""
    hits = collection.search(question, 8)
    return fresh(
        GraphState,
        standalone_question=question,
        parts=read_parts(question, collection),
        documents=[*hits],
        new_documents=[hit["chunk_id"] for hit in hits],
    )


class StaticReranker(Reranker):
    """As where no weights are, also on a machine where some are."""

    def __init__(self) -> None:
        super().__init__(Path())

    @property
    def is_neural(self) -> bool:
        return False


def graded(state: GraphState, collection: CollectionReader) -> Graded:
    return grade(state, collection, StaticReranker())
