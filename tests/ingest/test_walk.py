import errno
import os
from pathlib import Path

import pytest
from document_files import written

from rag.ingest.ignore import rules_for
from rag.ingest.walk import Listing, walk
from state.errors import UsageError


def make(root: Path, *names: str) -> None:
    written(root, dict.fromkeys(names, "A text."))


def walked(root: Path, include=(), exclude=()):
    """Where it starts and what is found."""
    start = os.path.realpath(root) + "/"
    found = Listing()
    walk(found, start, rules_for(start, include, exclude))
    return start, found


def names(root: Path, **globs) -> set[str]:
    start, found = walked(root, **globs)
    return {path[len(start) :] for path in found.files}


def test_hidden_and_leftover_files_are_left_out(tmp_path):
    make(tmp_path, "a.md", ".hidden", ".git/config", "a.md~", "~$a.docx", "node_modules/x.js")
    assert names(tmp_path) == {"a.md"}


def test_where_the_repository_begins_may_be_hidden_by_rights(tmp_path, monkeypatch):
    stat = os.stat

    def locked(path, **given):
        if Path(path).name == ".git":
            raise PermissionError(errno.EACCES, "Permission denied")
        return stat(path, **given)

    make(tmp_path, "a.md")
    monkeypatch.setattr(os, "stat", locked)
    assert names(tmp_path) == {"a.md"}


@pytest.mark.parametrize("ignore", [".gitignore", ".cragignore"])
def test_ignore_files_count_for_their_folder_and_below(tmp_path, ignore):
    make(tmp_path, "a.log", "sub/a.log", "sub/deep/b.md", "build/x.md", "keep/build.md", "b.md")
    (tmp_path / ignore).write_text("*.log\nbuild/\n")
    (tmp_path / "sub" / ignore).write_text("!a.log\n/deep\n")
    assert names(tmp_path) == {"sub/a.log", "keep/build.md", "b.md"}


def test_cragignore_counts_before_gitignore(tmp_path):
    make(tmp_path, "a.log", "b.log")
    (tmp_path / ".gitignore").write_text("*.log\n")
    (tmp_path / ".cragignore").write_text("!a.log\n")
    assert names(tmp_path) == {"a.log"}


def test_the_repository_above_counts_too(tmp_path):
    make(tmp_path, "repo/.git/HEAD", "repo/docs/a.md", "repo/docs/a.tmp")
    (tmp_path / "repo" / ".gitignore").write_text("*.tmp\n")
    (tmp_path / ".gitignore").write_text("*.md\n")
    assert names(tmp_path / "repo" / "docs") == {"a.md"}


def test_a_folder_that_its_repository_ignores_is_read_where_it_is_named(tmp_path):
    make(tmp_path, "repo/.git/HEAD", "repo/build/a.md", "repo/build/a.log", "repo/b.md")
    (tmp_path / "repo" / ".gitignore").write_text("build/\n")
    (tmp_path / "repo" / "build" / ".gitignore").write_text("*.log\n")
    assert names(tmp_path / "repo" / "build") == {"a.md"}
    assert names(tmp_path / "repo" / "build", exclude=["*"]) == set()
    assert names(tmp_path / "repo") == {"b.md"}


@pytest.mark.parametrize("held", [b"\xef\xbb\xbf*.log\n", b"!\n\xff\xfe\n*.log\n"])
def test_a_byte_order_mark_or_a_line_that_is_no_pattern_does_an_ignore_file_no_harm(tmp_path, held):
    make(tmp_path, "a.log", "b.md")
    (tmp_path / ".gitignore").write_bytes(held)
    assert names(tmp_path) == {"b.md"}


def test_include_and_exclude_are_globs_of_the_folder(tmp_path):
    make(tmp_path, "a.md", "b.txt", "drafts/c.md", "sub/d.md")
    assert names(tmp_path, include=["*.md"]) == {"a.md", "drafts/c.md", "sub/d.md"}
    assert names(tmp_path, include=["*.md"], exclude=["drafts/"]) == {"a.md", "sub/d.md"}
    assert names(tmp_path, exclude=["/a.md", "**/d.md"]) == {"b.txt", "drafts/c.md"}
    with pytest.raises(UsageError, match="--exclude"):
        names(tmp_path, exclude=["!"])
    with pytest.raises(UsageError, match="--include: it is empty"):
        names(tmp_path, include=[" "])


def test_links_and_pipes_are_not_followed_and_are_told(tmp_path):
    make(tmp_path, "root/a.md", "root/.store/v2/b.md", "outside.md", "root/sub/.keep")
    (tmp_path / "root" / ".gitignore").write_text("*.log\n")
    root = tmp_path / "root"
    (root / "loop").symlink_to(".")
    (root / "self").symlink_to("self")
    (root / "current").symlink_to(".store/v2")
    (root / "leads_out.md").symlink_to(tmp_path / "outside.md")
    (root / "nowhere").symlink_to("none")
    (root / "a.log").symlink_to("a.md")
    os.mkfifo(root / "pipe.md")
    start, found = walked(root)
    assert set(found.files) == {start + "a.md"}
    skipped = {Path(path).name: reason for path, reason in found.skipped}
    assert skipped.pop("pipe.md") == "not a regular file"
    assert set(skipped) == {"loop", "self", "current", "leads_out.md", "nowhere"}
    assert set(skipped.values()) == {"a symbolic link: it is not followed"}
