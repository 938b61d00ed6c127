"""What becomes of the relevant chunks: refined, answered, checked, in one run.

    python tests/benchmarks/answers.py --data DIR [--limit N] [--show N]

Retrieval is the real fusion over a collection in memory; a stand-in grader (a share of the best
score) decides what is relevant, so that the figures are those of what follows grading. The
fitted models saw half of squad2's articles: the others are given apart.
"""

# ruff: noqa: E501

from __future__ import annotations

import argparse

import numpy as np
from answer_sets import K, contains, grades, halves, load_set, normal, relevant

from rag.answering.refine import refine
from rag.citations.check import check
from rag.engines.local.answer import generate
from rag.engines.protocol import GenerateRequest


def nothing(_text):
    return None


def run(collection, question):
    chunks = relevant(collection.search(question.text, K))
    marks = grades(chunks)
    passages = refine(question.text, chunks, marks, collection)
    whole = whole_passages(chunks)
    row = {
        "before": sum(len(chunk["text"]) for chunk in chunks),
        "after": sum(len(span["text"]) for p in passages for span in p["spans"]),
        "chunks_hold": holds([chunk["text"] for chunk in chunks], question),
        "passages_hold": holds([s["text"] for p in passages for s in p["spans"]], question),
    }
    for name, given in (("", passages), ("whole_", whole)):
        draft = generate(GenerateRequest(question.text, given, ()), nothing, collection)
        checked = check(draft.claims, given, collection)
        answered = bool(checked.citations)
        row |= {
            f"{name}answered": answered,
            f"{name}contains": answered and contains(checked.text, question.answers),
            f"{name}sentences": len(checked.citations),
            f"{name}text": checked.text,
            f"{name}dropped": len(checked.unsupported),
        }
        if not name:
            row["citations"] = len(checked.citations)
            row["in_file"] = sum(
                collection.texts[c["source"]][c["start_char"] : c["end_char"]] == c["quote"]
                for c in checked.citations
            )
            row["verbatim"] = sum(c["support"] == "verbatim" for c in checked.citations)
            row["right_source"] = answered and any(
                c["source"] in question.relevant for c in checked.citations
            )
    return row


def whole_passages(chunks):
    return [
        {**chunk, "number": number, "spans": [{**chunk, "score": 1.0}]}
        for number, chunk in enumerate(chunks, start=1)
    ]


def holds(texts, question):
    return any(contains(text, question.answers) for text in texts)


def recall_of_words(text, answer):
    wanted = normal(answer).split()
    held = set(normal(text).split())
    return np.mean([word in held for word in wanted]) if wanted else 0.0


def report(name, asked, rows):
    yes = [row for q, row in zip(asked, rows, strict=True) if q.answerable]
    no = [row for q, row in zip(asked, rows, strict=True) if not q.answerable]

    def share(key, of=yes):
        return float(np.mean([row[key] for row in of])) if of else float("nan")

    print(f"{name}: {len(yes)} answerable, {len(no)} not")
    print(
        f"  answered {share('answered'):.3f}; contains a gold answer {share('contains'):.3f} of all,"
        f" {sum(r['contains'] for r in yes) / max(1, sum(r['answered'] for r in yes)):.3f} of answered;"
        f" right source {share('right_source'):.3f}"
    )
    if no:
        print(
            f"  abstained on unanswerable {1 - share('answered', no):.3f};"
            f" balanced accuracy {(share('answered') + 1 - share('answered', no)) / 2:.3f}"
        )
    before, after = (sum(row[key] for row in rows) for key in ("before", "after"))
    print(
        f"  refined/whole characters {after / before:.3f}"
        f" (mean of ratios {np.mean([row['after'] / row['before'] for row in rows]):.3f});"
        f" gold in chunks {share('chunks_hold'):.3f}, in passages {share('passages_hold'):.3f};"
        f" answers from whole chunks contain {share('whole_contains'):.3f}"
    )
    cited = max(1, sum(row["citations"] for row in rows))
    print(
        f"  citations {cited}: slices of the file {sum(r['in_file'] for r in rows) / cited:.3f},"
        f" claims word for word {sum(r['verbatim'] for r in rows) / cited:.3f};"
        f" sentences an answer {np.mean([r['sentences'] for r in rows if r['answered']]):.2f};"
        f" claims dropped {sum(r['dropped'] for r in rows)}"
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--show", type=int, default=0)
    options = parser.parse_args()
    for name in ("squad2", "hotpotqa_sub", "mtrag_clapnq"):
        collection, asked = load_set(options.data, name)
        fitted, unseen = halves(asked)
        groups = [("seen articles", fitted), ("unseen articles", unseen)]
        for label, group in groups if name == "squad2" else [("all", asked)]:
            taken = group[: options.limit]
            rows = [run(collection, question) for question in taken]
            report(f"{name}, {label}", taken, rows)
            for question, row in list(zip(taken, rows, strict=True))[: options.show]:
                print("   ", question.text, question.answers[:1], "->", row["text"][:300])


if __name__ == "__main__":
    main()
