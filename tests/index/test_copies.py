"""Copies of a text count once."""

from ingest_runs import session_of

PAGE = (
    "The pump is primed by hand before the first start of the day. Open the bleed valve, turn the "
    "crank until oil shows, close the valve and wait for the needle to settle. {}\n"
)


def test_copies_of_a_page_count_once(tmp_path):
    texts = {f"{version}/pump.md": PAGE.format("") for version in ("v1", "v2", "v10")}
    texts["valve.md"] = "The bleed valve is brass. It was cast in the old foundry.\n"
    with session_of(tmp_path, texts) as session:
        found = session.reader.search("How is the pump primed?", 8)
        answer = session.ask("How is the pump primed?")
    assert len(found) == 2
    assert found[0]["source"].endswith("/pump.md")
    assert answer["answer"].count("primed by hand") == 1
