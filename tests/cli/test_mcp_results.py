"""What an agent is given over MCP: within its tokens, structured, with links it can read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from forked_program import crag_program
from ingest_runs import Library
from mcp import Client, StdioServerParameters
from served_mcp import served

from rag.index.collection import Collection
from rag.mcp_server.results import tokens_of
from rag.mcp_server.tools import CollectionTools, lines_of, place_uri
from state.settings import load_settings

ROOT = Path(__file__).parents[2]
LONG = "The inspection of siding {0} found rail {0} worn by {0} mm, which is within limits."


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = tmp_path_factory.mktemp("files")
    for number in range(30):
        lines = "\n\n".join(LONG.format(number * 100 + n) for n in range(40))
        (files / f"inspection {number}.md").write_text(f"# Inspection {number}\n\n{lines}\n")
    (files / "line.md").write_text("# The line\n\nThe railway opened on 14 June 1897.\n")
    home = tmp_path_factory.mktemp("home")
    Library(home).ingest(files)
    return home


@pytest.fixture(scope="module", name="served")
def _served(home: Path) -> Iterator[str]:
    with served(home) as address:
        yield address


def ingesting(home: Path) -> StdioServerParameters:
    """A server of its own that may ingest."""
    words = ["mcp", "--engine", "local", "--home", str(home), "--allow-ingest"]
    return StdioServerParameters(command=crag_program(), args=words, cwd=str(ROOT))


def call(served: str, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    async def main() -> list[Any]:
        async with Client(served) as client:
            return [await client.call_tool(name, given) for name, given in calls]

    return anyio.run(main)


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("ask", {"question": "How worn was the rail at the inspection of siding 712?"}),
    ("search", {"query": "inspection of worn rail", "k": 50}),
    ("sources", {}),
    ("read_source", {"source": "inspection 7.md"}),
    ("thread_history", {"thread": "none"}),
]


@pytest.mark.parametrize("tokens", [200, 700, 4_000])
def test_a_result_keeps_to_the_tokens_that_the_caller_has_room_for(served: str, tokens: int):
    results = call(served, *((name, {**given, "token_budget": tokens}) for name, given in CALLS))
    for (name, _), result in zip(CALLS, results, strict=True):
        assert not result.is_error, result.content
        shown = "".join(
            part.text
            if part.type == "text"
            else part.model_dump_json(by_alias=True, exclude_none=True)
            for part in result.content
        )
        assert tokens_of(shown) <= tokens, name
        assert json.loads(result.content[0].text) == result.structured_content
    asked, found, listed, read, _ = (result.structured_content for result in results)
    assert asked["answer"]
    assert asked["citations"] or asked["left_out"]
    assert found["results"][0]["text"]
    assert len(found["results"]) + found["left_out"] == 50
    assert listed["sources"]
    assert read["text"]
    assert read.get("next", read["characters"]) == len(read["text"])
    assert ("next" in read) == (tokens < 4_000)


def test_a_list_is_read_on_to_its_end(served: str):
    async def main() -> list[str]:
        found: list[str] = []
        async with Client(served) as client:
            after: str | None = ""
            while after is not None:
                given = {"after": after, "token_budget": 200}
                part = (await client.call_tool("sources", given)).structured_content
                found += part["sources"]
                after = part.get("next")
        return found

    found = anyio.run(main)
    assert len(found) == len(set(found)) == 31


def test_a_budget_that_nothing_fits_is_refused(served: str):
    (refused,) = call(served, ("search", {"query": "rail", "token_budget": 10}))
    assert refused.is_error
    assert "token_budget must be from 200" in refused.content[0].text


def test_results_are_of_the_schemas_that_the_tools_tell(home: Path):
    async def main() -> None:
        async with Client(ingesting(home)) as client:
            schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
            for name, given in [*CALLS, ("status", {}), ("ingest", {})]:
                result = await client.call_tool(name, given)
                jsonschema.validate(result.structured_content, schemas[name])

    anyio.run(main)


def test_a_cited_place_is_a_resource_that_can_be_read(served: str):
    async def main() -> None:
        async with Client(served) as client:
            given = {"question": "On what date did the railway open?"}
            asked = await client.call_tool("ask", given)
            (link,) = [part for part in asked.content if part.type == "resource_link"]
            assert link.name == "line.md:3"
            assert link.uri == asked.structured_content["citations"][0]["uri"]
            (read,) = (await client.read_resource(link.uri)).contents
            assert "14 June 1897" in read.text
            spaced = "crag://source/inspection%207.md?lines=9-9"
            (read,) = (await client.read_resource(spaced)).contents
            assert LONG.format(703) in read.text
            for gone in ("crag://source/../../etc/passwd", "crag://source//etc/passwd"):
                with pytest.raises(Exception, match=r"no source|not found|Unknown"):
                    await client.read_resource(gone)

    anyio.run(main)


def test_a_long_ingest_says_how_far_it_is(tmp_path: Path):
    files = tmp_path / "files"
    files.mkdir()
    (files / "first.md").write_text("# One\n\nThe first.\n")
    Library(tmp_path / "home").ingest(files)
    for number in range(5):
        (files / f"{number}.md").write_text(f"# Siding {number}\n\nIt holds {number} wagons.\n")
    heard: list[tuple[float, float | None, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    async def main() -> Any:
        async with Client(ingesting(tmp_path / "home")) as client:
            return await client.call_tool("ingest", {}, progress_callback=hear)

    assert anyio.run(main).structured_content["added"] == 5
    assert heard[-1] == (5, 5, "5 of 5 files")


def test_a_page_of_a_source_reads_no_more_than_the_page(home: Path, monkeypatch):
    read: list[int] = []
    whole = Collection.document_text

    def counted(*given: Any) -> str | None:
        text = whole(*given)
        read.append(len(text or ""))
        return text

    monkeypatch.setattr(Collection, "document_text", counted)
    tools = CollectionTools(load_settings({"home": home, "engine": "local"}))
    with tools._open() as session:
        pass
    with closing(session):
        pages, at = [], 0
        while at is not None:
            page = tools.read_source("inspection 7.md", at, token_budget=300)
            pages.append(page.text)
            at = page.next
        assert len(pages) > 3
        assert "".join(pages).count("The inspection of siding") == 40
        assert max(read) <= 8 * 300
        beyond = tools.read_source("inspection 7.md", 10**30)
        assert (beyond.text, beyond.next, beyond.start) == ("", None, beyond.characters)


def test_lines_of_a_place_are_bounded_and_count_from_one():
    text = "\n".join(str(n) for n in range(1, 1001))
    assert lines_of(text, "5-6").split("\n") == ["2", "3", "4", "5", "6", "7", "8", "9"]
    assert lines_of(text, "1").split("\n")[0] == "1"
    assert len(lines_of(text, "1-999999").split("\n")) == 400
    for odd in ("", "x", "-4", "3-x", "²", "3-²", "1" * 5_000):
        assert len(lines_of(text, odd).split("\n")) == 400


def test_the_address_of_a_place_names_any_file():
    assert place_uri("a b/ü?#.md", 3, None) == "crag://source/a%20b/%C3%BC%3F%23.md?lines=3-3"
    assert place_uri("x.pdf", None, None) == "crag://source/x.pdf"
    assert place_uri("bad\udcff.md", 1, 1) == "crag://source/bad%FF.md?lines=1-1"
