"""Copies of a text count once, and hide nothing."""

from contextlib import closing

from ingest_runs import Library, collection_of, session_of

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


def test_hundreds_of_copies_do_not_hide_what_is_nearer(tmp_path):
    """Each opening makes a small graph anew, in another order."""
    licence = "Permission is hereby granted, free of charge, to any person. " * 5
    texts = {f"vendor/{number}/LICENSE": licence for number in range(250)}
    texts["pump.md"], texts["valve.md"] = PAGE.format(""), "The bleed valve is cast of brass.\n"
    collection_of(tmp_path, texts).close()
    for _ in range(5):
        with closing(Library(tmp_path / "home").open()) as reader:
            found = reader.search("metal casting", 8)
        dense = {each["source"] for each in found if each["dense_rank"]}
        assert dense >= {"pump.md", "valve.md"}
