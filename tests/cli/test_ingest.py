import json
import threading
from pathlib import Path

import pytest
from crag import interrupted
from document_files import written
from sqlite_files import run_sql
from typer.testing import CliRunner

from cli.app import app
from cli.render.ingest_view import print_report
from cli.terminal import Terminal
from rag.index.home.catalog import FILE_NAME
from rag.ingest.sync import ingest
from rag.ingest.watch import watch_folders
from state.settings import load_settings


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.setenv("CRAG_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pumps = "# Pumps\n\nThe north pump runs at 3 bar.\n"
    fans = "# Fans\n\nThe south fan turns at 900 rpm.\n"
    return written(tmp_path / "docs", {"a.md": pumps, "b.md": fans})


def crag(*arguments: object, code: int = 0, stdin: str | None = None):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)
    assert result.exit_code == code, result.output
    return result


def test_json_is_one_object_with_the_keys_of_the_contract(folder):
    report = json.loads(crag("ingest", folder, "--json").stdout)
    assert set(report) >= {
        "schema", "collection", "embedder", "added", "updated", "unchanged", "removed", "skipped",
        "failed", "documents", "chunks", "seconds",
    }  # fmt: skip
    assert (report["schema"], report["added"], report["documents"]) == ("crag.ingest/1", 2, 2)


def test_stdout_stays_empty_and_each_trouble_is_one_line(folder):
    (folder / "bad.pdf").write_bytes(b"%PDF-1.7 no")
    (folder / "pic.psd").write_bytes(b"8BPS\0\1" + bytes(64))
    (folder / "empty.md").write_text("")
    result = crag("ingest", folder)
    assert result.stdout == ""
    *lines, offered = result.stderr.splitlines()
    assert offered.startswith("`crag model get` (164 MB")
    assert "crag model get" not in crag("ingest", folder).stderr  # it is said at the first
    assert [line.split(":")[0] for line in lines[:-1]] == ["failed", "skipped", "skipped"]
    assert "2 added, 2 skipped, 1 failed; 2 documents, 2 chunks" in lines[-1]
    assert crag("ingest", folder, "-q").stderr.startswith("failed: ")
    crag("ingest", folder, "--strict", code=6)


def test_a_dry_run_names_the_files_and_changes_nothing(folder):
    crag("ingest", folder)
    (folder / "a.md").write_text("# Pumps\n\nThe north pump stands still.\n")
    (folder / "b.md").unlink()
    (folder / "c.md").write_text("# Valves\n\nThe valve is shut.\n")
    result = crag("ingest", folder, "--dry-run")
    assert result.stdout == ""
    assert result.stderr.splitlines() == [
        f"would update: {folder}/a.md",
        f"would add: {folder}/c.md",
        f"would remove: {folder}/b.md",
        "default: 1 added, 1 updated, 1 removed; nothing was changed, it is a dry run",
    ]
    told = crag("ingest", folder, "--dry-run", "--events").stdout.splitlines()
    outcomes = [json.loads(line).get("outcome") for line in told]
    assert outcomes == [None, "updated", "added", "removed", None]
    assert json.loads(told[-1])["dry_run"] is True
    assert crag("ingest", folder).stderr.startswith("default: 1 added, 1 updated, 1 removed;")
    assert crag("ingest", folder, "--dry-run").stderr.startswith("default: 2 unchanged; ")


def test_a_dry_run_skips_what_the_run_skips(folder):
    (folder / "old.zip").write_bytes(b"PK\x03\x04" + bytes(60))
    (folder / "blob.bin").write_bytes(bytes(range(256)))
    (folder / "empty.md").write_text("")
    told = [crag("ingest", folder, *more, "--json").stdout for more in (["--dry-run"], [])]
    dry, real = map(json.loads, told)
    assert dry["skipped"] == real["skipped"]
    assert {Path(each["path"]).name for each in dry["skipped"]} > {"blob.bin", "empty.md"}
    assert dry["added"] == real["added"]


def test_an_empty_folder_costs_no_vector_store(home, tmp_path):
    (tmp_path / "none").mkdir()
    assert "no file to read was found" in crag("ingest", tmp_path / "none").stderr
    assert not (home / "vectors").exists()
    assert "vectors: none yet" in crag("doctor").stdout
    assert "holds no text yet" in crag("search", "pump", code=4).stderr


def test_without_a_path_all_that_was_ingested_is_read_again_with_its_globs(folder, tmp_path):
    (tmp_path / "more.md").write_text("# Valves\n\nThe valve is shut.\n")
    crag("ingest", folder, "--exclude", "b.md", "--exclude", "c d")
    crag("ingest", tmp_path / "more.md")
    (folder / "a.md").write_text("# Pumps\n\nThe north pump stands still.\n")
    kept, done = crag("ingest").stderr.splitlines()
    given = "--exclude b.md --exclude 'c d'"
    assert kept == f"{folder}: {given}, as before; --include '*' reads everything."
    assert done.startswith("default: 1 updated, 1 unchanged; 2 documents")
    assert "1 added, 1 unchanged" in crag("ingest", folder, "--include", "*").stderr
    assert "as before" not in crag("ingest").stderr


def test_without_a_path_what_is_gone_stays_and_keeps_no_other_folder_unread(folder, tmp_path):
    other = written(tmp_path / "other", {"c.md": "# Belts\n\nThe belt is 3 m long.\n"})
    crag("ingest", folder, other)
    (folder / "d.md").write_text("# Cranes\n\nThe crane lifts 2 t.\n")
    (other / "c.md").unlink()
    other.rmdir()
    done = crag("ingest", "--json")
    assert str(other) in done.stderr
    assert [json.loads(done.stdout)[key] for key in ("added", "removed", "documents")] == [1, 0, 4]
    other.mkdir()
    assert json.loads(crag("ingest", "--json").stdout)["removed"] == 1


def test_status_counts_and_notices_stale_files(home, folder, monkeypatch):
    assert crag("status").stderr.startswith("Nothing was ingested yet")
    assert not home.exists()
    crag("ingest", folder)
    (folder / "new.md").write_text("# Valves\n\nThe valve is shut.\n")
    assert "  stale   no indexed file has changed\n" in crag("status").stdout
    (folder / "a.md").write_text("changed")
    found = json.loads(crag("status", "--json").stdout)
    (one,) = found["collections"]
    assert (one["name"], one["documents"], one["chunks"]) == ("default", 2, 2)
    stale = {"files": 2, "changed": 1, "gone": 0, "outdated": 0, "checked": 2}
    assert one["stale"] == stale | {"unfinished": False}
    assert one["roots"] == [str(folder)]
    assert found["bytes"] > (home / "catalog.sqlite").stat().st_size > 0
    assert "1 indexed file has changed" in crag("status").stdout
    crag("status", "-c", "none", code=2)
    crag("ingest", folder)
    monkeypatch.setattr("rag.ingest.file_text.READER_VERSION", "0")  # as behind another release
    assert "3 indexed files have been read otherwise than crag reads now" in crag("status").stdout


def test_collections_are_listed_shown_and_deleted(home, folder):
    crag("ingest", folder, "-c", "one")
    crag("ingest", folder, "-c", "two")
    listed = json.loads(crag("collections", "list", "--json").stdout)["collections"]
    assert [each["name"] for each in listed] == ["one", "two"]
    shown = json.loads(crag("collections", "show", "two", "--json").stdout)
    assert [each["source"] for each in shown["documents"]] == ["a.md", "b.md"]
    assert "--yes" in crag("collections", "delete", "two", code=2).stderr
    crag("collections", "delete", "two", "--yes")
    crag("collections", "show", "two", code=2)
    assert crag("search", "pump", "-c", "one").stdout
    assert len(list((home / "vectors").iterdir())) == 1


def test_the_doctor_finds_damaged_indexes_and_an_ingest_mends_them(home, folder):
    assert "nothing is kept yet" in crag("doctor").stdout
    crag("ingest", folder)
    assert json.loads(crag("doctor", "--json").stdout)["ok"]
    for file in (home / "vectors").rglob("*"):
        if file.is_file():
            file.write_bytes(b"rubbish")
    run_sql(home / FILE_NAME, "UPDATE collections SET terms_version = 'of before'")
    result = crag("doctor", code=4)
    assert result.stdout.count("FAIL") == 2
    assert result.stdout.count("mend: crag ingest -c default") == 2
    crag("ingest")
    assert json.loads(crag("doctor", "--json").stdout)["ok"]
    assert "a.md" in crag("search", "north pump").stdout
    run_sql(home / FILE_NAME, "DELETE FROM lexical_1_docsize")
    assert "mend: crag collections delete default" in crag("doctor", code=4).stdout
    run_sql(home / FILE_NAME, "DROP TABLE collections")
    result = crag("doctor", code=4)
    assert "FAIL index: " in " ".join(result.stdout.split())


def test_a_search_shows_what_is_nearest_in_each_chunk(folder):
    further = "It was built in 1891 of granite from the quarry above the mill. " * 6
    (folder / "house.md").write_text(f"# House\n\n{further}\n\nThe lantern burns whale oil.\n")
    crag("ingest", folder)
    found = crag("search", "lantern oil", "--k", 1)
    place, said = found.stdout.splitlines()
    assert place.endswith("house.md:5")
    assert (said, found.stderr) == ("    The lantern burns whale oil.", "")
    assert crag("search", "zyx", "--k", 1).stderr.startswith("None of these words was found")
    (folder / "horn.py").write_text(
        f"def horn():\n    sound()\n\n{'    # blows' * 9}\n" + "#\n" * 9
    )
    crag("ingest", folder)
    _, *said = crag("search", "def horn sound", "--k", 1).stdout.splitlines()
    assert said[:2] == ["        def horn():", "            sound()"]


def test_many_files_skipped_for_one_reason_are_one_line(folder):
    for number in range(9):
        (folder / f"{number}.psd").write_bytes(b"8BPS\0\1" + bytes(64))
    *lines, _offered = crag("ingest", folder).stderr.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith(f"skipped: {folder / '0.psd'} and 8 more: ")
    assert "9 skipped" in lines[1]
    assert len(json.loads(crag("ingest", folder, "--json").stdout)["skipped"]) == 9


def test_the_doctor_calls_nothing_damaged_that_it_could_not_open(home, folder):
    crag("ingest", folder)
    (home / "home.db").mkdir()
    for name in ("catalog.sqlite-wal", "catalog.sqlite-shm"):  # as where SQLite cannot make them
        (home / name).unlink(missing_ok=True)
        (home / name).mkdir()
    said = crag("doctor", code=4).stdout
    assert said.count("FAIL") == 2
    assert "is damaged" not in said
    assert "Move" not in said


def test_an_interrupted_ingest_ends_with_130_and_the_next_one_resumes(home, folder):
    for number in range(150):
        (folder / f"{number}.md").write_text(f"# Sheet {number}\n\nThe number is {number}.\n" * 80)
    code, _, errors = interrupted(home, "ingest", str(folder), "--events", at='"file"')
    assert (code, errors.splitlines()[-1]) == (130, "crag: interrupted.")
    assert "run it again for the rest" in errors
    assert "not read to its end" in crag("status").stdout
    report = json.loads(crag("ingest", folder, "--json").stdout)
    assert report["added"] + report["unchanged"] == report["documents"] == 152
    assert "not read to its end" not in crag("status").stdout


def test_a_watch_syncs_after_a_save_by_rename_and_a_removal(tmp_path, folder):
    stop = threading.Event()
    seen: list[set[str]] = []

    def sync() -> None:
        seen.append({path.name for path in folder.iterdir()})
        if len(seen) == 1:
            (folder / ".a.md.swp").write_text("new text")
            (folder / ".a.md.swp").rename(folder / "c.md")
        elif len(seen) == 2:
            (folder / "b.md").unlink()
        else:
            stop.set()

    timer = threading.Timer(0.5, lambda: (folder / "a.md").write_text("changed"))
    timer.start()
    watch_folders([str(folder)], tmp_path / "home", sync, print, stop=stop)
    timer.join()
    assert [sorted(names) for names in seen[-2:]] == [["a.md", "b.md", "c.md"], ["a.md", "c.md"]]


def test_a_watch_tells_of_a_file_that_failed_once(folder, capsys):
    bad = folder / "bad.pdf"
    bad.write_bytes(b"%PDF-1.7 no")
    settings, terminal = load_settings({}), Terminal()
    first = ingest(settings, [str(folder)])
    print_report(first, terminal)
    (folder / "worse.pdf").write_bytes(b"%PDF-1.7 no")
    print_report(ingest(settings, [str(folder)]), terminal, first)
    told = capsys.readouterr().err
    assert (told.count("bad.pdf"), told.count("worse.pdf")) == (1, 1)


def test_a_watch_heeds_no_folder_that_is_never_read(tmp_path, folder, monkeypatch):
    changed = ["a.md", ".gitignore", "sub/b.md", ".git/index", "node_modules/c.md", ".a.md.swp"]
    heeded: list[str] = []

    def watch(*_folders, watch_filter, **_):
        heeded.extend(path for path in changed if watch_filter(None, str(folder / path)))
        heeded.extend(name for name in ("x.md", "home/a") if watch_filter(0, f"{tmp_path}/{name}"))
        return iter(())

    (tmp_path / "x.md").write_text("A single file.")
    monkeypatch.setattr("watchfiles.watch", watch)
    watch_folders([str(folder), str(tmp_path / "x.md")], tmp_path / "home", list, print)
    assert heeded == ["a.md", ".gitignore", "sub/b.md", "x.md"]
