"""What is said when the documents hold no answer: what was sought, how, and what lay nearest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from state.grades import Grade
from state.passages import RetrievedChunk

NEAREST = 3
LONGEST = 200
MOST_ADDED = 6


def abstention_text(
    question: str,
    queries: Sequence[str],
    documents: Sequence[RetrievedChunk],
    grades: Mapping[str, Grade],
) -> str:
    """Short, honest, in words; queries oldest first."""
    tried = list(dict.fromkeys(_line(query) for query in queries if query.strip()))
    said = [f"The documents do not hold an answer to “{_line(question)}”."]
    if not tried:
        said.append("Nothing could be searched for.")
    elif tried == [_line(question)]:
        said.append("It was searched for as asked.")
    else:
        said.append(
            "Searched for: " + "; ".join(_searched(tried, i) for i in range(len(tried))) + "."
        )
    nearest = _nearest(documents, grades)
    if nearest:
        some = any(grades[d["chunk_id"]]["relevant"] for d in documents if d["chunk_id"] in grades)
        lead = (
            "The nearest passages are about"
            if some
            else "The nearest passages, none of them relevant, are about"
        )
        said.append(f"{lead} {_joined(nearest)}.")
    else:
        said.append("No passage came near.")
    return " ".join(said)


def _nearest(documents: Sequence[RetrievedChunk], grades: Mapping[str, Grade]) -> list[str]:
    def closeness(chunk: RetrievedChunk) -> tuple[bool, float, float]:
        grade = grades.get(chunk["chunk_id"])
        if grade is None:
            return False, 0.0, chunk["score"]
        return grade["relevant"], grade["confidence"] or 0.0, chunk["score"]

    ordered = sorted(documents, key=closeness, reverse=True)
    return list(dict.fromkeys(_about(chunk) for chunk in ordered))[:NEAREST]


def _searched(tried: Sequence[str], i: int) -> str:
    """A query that only adds words to an earlier one is told by those."""
    query = tried[i]
    for earlier in tried[:i]:
        if query.startswith(f"{earlier} "):
            added = query.removeprefix(earlier).split()
            more = " …" if len(added) > MOST_ADDED else ""
            return f"the same with “{' '.join(added[:MOST_ADDED])}{more}”"
    return f"“{query}”"


def _about(chunk: RetrievedChunk) -> str:
    """The innermost heading or the title, and the name of the file."""
    name = _line(chunk["source"].rsplit("/", 1)[-1])
    heading = chunk["heading"].rsplit(" > ", 1)[-1].strip() or (chunk["title"] or "").strip()
    return f"“{_line(heading)}” ({name})" if heading else f"“{name}”"


def _joined(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _line(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"
