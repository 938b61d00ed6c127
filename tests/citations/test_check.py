# ruff: noqa: E501
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_collection import MemoryCollection

from rag.citations.check import check as check_draft
from rag.engines.openai.claims import read_claims

TUNNEL = "The Corbel Tunnel is 386 m long. It was dug between 1889 and 1893 by 300 men.\nBats live in the roof."
SHED = "The shed at Langrigg burned down in 1911. Nobody was hurt. Its roof was never rebuilt."
CJK = "北京是中国的首都。它有两千万人口。"
DOCUMENT = "one\ntwo\n" + TUNNEL


@pytest.fixture(scope="module")
def reader():
    return MemoryCollection({"tunnel.md": TUNNEL, "shed.md": SHED, "cjk.md": CJK})


def passage(number, source, text, start=0, line=1):
    return {
        "number": number, "chunk_id": f"{source}#0", "source": source, "title": None, "heading": "",
        "page": 4, "start_char": start, "end_char": start + len(text),
        "spans": [{"start_char": start, "end_char": start + len(text), "start_line": line,
                   "end_line": line + text.count("\n"), "text": text, "score": 1.0}],
    }  # fmt: skip


def check(text, passages, reader):
    """A text with markers, checked as what a model wrote is."""
    return check_draft(read_claims(text), passages, reader)


PASSAGES = [
    passage(1, "tunnel.md", TUNNEL, 8, 3),
    passage(2, "shed.md", SHED),
    passage(3, "cjk.md", CJK),
]


def test_a_marker_becomes_a_located_quote(reader):
    checked = check("Bats live in the roof [1].", PASSAGES, reader)
    (citation,) = checked.citations
    assert checked.text == "Bats live in the roof [1]."
    assert DOCUMENT[citation["start_char"] : citation["end_char"]] == citation["quote"]
    assert citation["quote"] == "Bats live in the roof."
    assert (citation["start_line"], citation["end_line"], citation["page"]) == (4, 4, 4)
    assert citation["support"] == "verbatim"


def test_markers_are_renumbered_in_order_of_appearance(reader):
    checked = check(
        "The shed at Langrigg burned down in 1911 [2]. The Corbel Tunnel is 386 m long [1]. "
        "Nobody was hurt [2]. The shed at Langrigg burned down in 1911 [2].",
        PASSAGES,
        reader,
    )
    assert [c["marker"] for c in checked.citations] == [1, 2, 3]
    assert [c["source"] for c in checked.citations] == ["shed.md", "tunnel.md", "shed.md"]
    assert checked.text.endswith("in 1911 [1].")


def test_a_marker_on_the_wrong_passage_is_moved_to_the_right_one(reader):
    checked = check("The Corbel Tunnel is 386 m long [2].", PASSAGES, reader)
    assert [c["source"] for c in checked.citations] == ["tunnel.md"]


def test_a_sentence_without_marker_gets_one_where_a_quote_holds(reader):
    checked = check("The Corbel Tunnel is 386 m long.", PASSAGES, reader)
    assert checked.text == "The Corbel Tunnel is 386 m long [1]."


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("The Corbel Tunnel is 391 m long [1].", "the source says 386 m, not 391 m"),
        ("It was dug by 500 men [1].", "the source says 300, not 500"),
        ("The shed at Langrigg burned down in 1912 [2].", "the source says 1911, not 1912"),
        ("The shed at Langford burned down in 1911 [2].", "the source says Langrigg, not Langford"),
        ("Bats do not live in the roof [1].", "the source says the opposite"),
    ],
)
def test_what_a_source_says_otherwise_is_left_out(claim, reason, reader):
    checked = check(f"Bats live in the roof [1]. {claim}", PASSAGES, reader)
    assert checked.text == "Bats live in the roof [1]."
    (record,) = [r for r in checked.claims if r["verdict"] == "contradicted"]
    assert (record["citations"], record["reason"]) == ([], reason)
    assert checked.dropped == [record["text"]]


@pytest.mark.parametrize(
    "claim",
    [
        "The moon is made of cheese [1].",
        "The depot was designed by Joseph Tolland [1].",
        'The report says "the tunnel is quite unsafe today" [1].',
        "Bananas are yellow.",
    ],
)
def test_what_no_source_says_is_shown_as_unverified(claim, reader):
    checked = check(f"Bats live in the roof [1]. {claim}", PASSAGES, reader)
    assert checked.text.startswith("Bats live in the roof [1]. ")
    assert checked.text.endswith(" (unverified).")
    assert checked.claims[1]["verdict"] == "unverified"
    assert [c["support"] for c in checked.citations[1:]] in ([], ["unsupported"])
    assert checked.dropped == []


def test_a_sentence_in_another_order_is_verified(reader):
    claim = "In 1911 the shed at Langrigg burned down [2]."
    (citation,) = check(claim, PASSAGES, reader).citations
    assert citation["support"] == "supported"


@pytest.mark.parametrize(
    "marker",
    [
        "[99]",
        "[1a]",
        "(source 3)",
        "【1】",
        "【1†lines】",
        "[^7]",
        "[Passage 12]",
        "<sup>9</sup>",
        "[source]",
        "[0]",
        "[citation needed]",
        "(see document 40)",
    ],
)
def test_invented_markers_never_reach_the_person(marker, reader):
    checked = check(f"Bats live in the roof {marker}. It is so{marker}", PASSAGES, reader)
    assert marker not in checked.text
    assert checked.text == "Bats live in the roof [1]."


def test_markdown_lists_headings_and_closing_references(reader):
    draft = (
        "## The tunnel\n- The Corbel Tunnel is **386 m** long [1]\n- It is haunted [1]\n"
        "- Bats live in the roof [1]\n\n## The ghosts\nThey sing at night [2].\n\nReferences:\n[1] tunnel.md\n[2] shed.md\n"
    )
    checked = check(draft, PASSAGES, reader)
    assert checked.text == (
        "## The tunnel\n- The Corbel Tunnel is **386 m** long [1]\n- It is haunted [2] (unverified)\n"
        "- Bats live in the roof [3]\n\n## The ghosts\nThey sing at night [4] (unverified)."
    )


def test_tables_keep_their_form(reader):
    draft = "| What | Fact |\n|---|---|\n| Tunnel | 386 m long [1] |\n| Tunnel | 391 m long [1] |\n"
    checked = check(draft, PASSAGES, reader)
    assert checked.text == "| What | Fact |\n|---|---|\n| Tunnel | 386 m long [1] |"


def test_code_is_checked_as_a_block_and_its_brackets_are_no_markers():
    code = "let first = rows[0];\nprint(first);"
    reader = MemoryCollection({"code.md": f"Take the first row:\n\n```\n{code}\n```\n"})
    given = [passage(1, "code.md", f"Take the first row:\n\n```\n{code}\n```")]
    checked = check(f"Take the first row [1]:\n\n```rust\n{code}\n```\n", given, reader)
    assert "rows[0];" in checked.text
    other = check("```\nsystem.exit(now)\n```", given, reader)
    assert other.text == "```\nsystem.exit(now)\n```\n(unverified)"


def test_cjk_sentences_are_checked_too(reader):
    checked = check("北京是中国的首都[3]。月亮是奶酪做的[3]。", PASSAGES, reader)
    assert checked.text.startswith("北京是中国的首都 [1]。")
    assert checked.citations[0]["quote"] == "北京是中国的首都。"


def test_one_claim_from_two_sources_cites_both(reader):
    checked = check(
        "The Corbel Tunnel is 386 m long and the shed at Langrigg burned down in 1911 [1][2].",
        PASSAGES,
        reader,
    )
    assert {c["source"] for c in checked.citations} == {"tunnel.md", "shed.md"}
    assert "[1][2]" in checked.text


def test_the_frame_of_a_contradiction_stays_with_its_claims(reader):
    text = "The sources disagree: The Corbel Tunnel is 386 m long [1]. Nobody was hurt [2]."
    assert check(text, PASSAGES, reader).text == text
    against = "The sources disagree: The Corbel Tunnel is 391 m long [1]."
    assert check(against, PASSAGES, reader).text == ""


def test_nothing_drafted_or_nothing_given(reader):
    assert check("", PASSAGES, reader).text == ""
    checked = check("Bats live in the roof [1].", [], reader)
    assert checked.citations == []
    assert [claim["verdict"] for claim in checked.claims] == ["unverified"]


DRAFTS = st.lists(
    st.sampled_from(
        ["Bats live in the roof", " [1]", "[2]", ". ", "\n", "- ", "[99]", "```\n", "| a |", "# H\n", "【1】", "\n\n",
         "The Corbel Tunnel is 386 m long", "[", "]", "It is 5", ":", "(source 1)", "x[0]", "`"]
    ),
    max_size=25,
).map("".join)  # fmt: skip


@settings(max_examples=120)
@given(draft=DRAFTS)
def test_whatever_is_drafted_markers_and_citations_match(reader, draft):
    checked = check(draft, PASSAGES, reader)
    assert [c["marker"] for c in checked.citations] == list(range(1, len(checked.citations) + 1))
    for citation in checked.citations:
        assert f"[{citation['marker']}]" in checked.text
        text = {"tunnel.md": DOCUMENT, "shed.md": SHED, "cjk.md": CJK}[citation["source"]]
        assert text[citation["start_char"] : citation["end_char"]] == citation["quote"]
    if not checked.claims:
        assert checked.text == ""
    assert checked.text.count("(unverified)") == checked.count("unverified")


def test_a_marked_full_stop_ends_a_claim_whatever_letter_follows():
    draft = "It holds 22,000 litres [1]. station: Stone Gill; height (m): 596 [2]. it is old [1]."
    assert [(claim["text"], claim["passages"]) for claim in read_claims(draft)] == [
        ("It holds 22,000 litres.", [1]),
        ("station: Stone Gill; height (m): 596.", [2]),
        ("it is old.", [1]),
    ]


def quoted(shown, **changed):
    start = TUNNEL.index(shown)
    quote = {
        "passage": 1, "start_char": start, "end_char": start + len(shown), "start_line": 1,
        "end_line": 1, "quote": shown, "lead": None, "block_start": 0, "block_end": len(TUNNEL),
        "block": TUNNEL, **changed,
    }  # fmt: skip
    return {
        "kind": "claim", "before": "", "shown": shown, "text": shown, "passages": [1], "quotes": [quote],
    }  # fmt: skip


def test_a_quoted_claim_is_shown_with_its_block_unread(reader):
    given = [passage(1, "tunnel.md", TUNNEL)]
    checked = check_draft([quoted("Bats live in the roof.")], given, reader)
    (citation,) = checked.citations
    assert (citation["quote"], citation["passage"]) == ("Bats live in the roof.", TUNNEL)
    assert citation["support"] == "verbatim"


@pytest.mark.parametrize(
    "changed",
    [
        {"passage": 9},
        {"quote": "Owls live in the roof."},
        {"start_char": 3},
        {"block": TUNNEL.replace("386", "391")},
        {"block_end": len(TUNNEL) + 9, "block": TUNNEL + " and more"},
    ],
)
def test_a_quote_that_does_not_stand_there_is_not_taken(changed, reader):
    given = [passage(1, "tunnel.md", TUNNEL)]
    claim = quoted("Bats live in the roof.", **changed) | {"text": "Owls nest near the gate."}
    (record,) = check_draft([claim], given, reader).claims
    assert record["verdict"] == "unverified"
