"""What the pages of the docs show as input or code, taken as printed."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from bare_process import run_code
from crag import crag
from readme_blocks import PAGES, ROOT

from state.settings import load_settings

DOCS = ROOT / "docs"
EXAMPLE = re.compile(r"```python\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)
FILE = re.compile(r"^`(\w+\.jsonl)`:\n\n```json\n(.*?)```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def page(name):
    return (DOCS / name).read_text(encoding="utf-8")


def test_the_python_examples_run_in_order_and_print_what_is_said(tmp_path):
    (tmp_path / "sample_corpus").symlink_to(ROOT / "sample_corpus")
    examples = EXAMPLE.findall(page("python.md"))
    assert len(examples) == page("python.md").count("```python") == 3
    codes = [code for code, _ in examples]
    code = f"for code in {codes!r}: exec(code, {{'__name__': 'example'}})"
    assert run_code(code, folder=tmp_path) == "".join(out for _, out in examples)


def test_the_settings_file_is_one(tmp_path):
    text = re.search(r"```toml\n(.*?)```", page("settings.md"), re.DOTALL)[1]
    (tmp_path / "config.toml").write_text(text, encoding="utf-8")
    settings = load_settings({"home": tmp_path}, tmp_path / "config.toml")
    for key, value in tomllib.loads(text).items():
        read = getattr(settings, key)
        assert (read if key != "prices" else {k: list(v) for k, v in read.items()}) == value


def test_the_folder_to_evaluate_is_one(tmp_path):
    files = dict(FILE.findall(page("evaluate.md")))
    assert set(files) == {"queries.jsonl", "corpus.jsonl"}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    home = tmp_path / "home"
    done = crag(home, "eval", str(tmp_path), "--json")
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["queries"] == 3
    assert found["retrieval"]["recall@5"] == 1.0
    assert found["answers"]["n"] == 2


@pytest.mark.parametrize("path", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda path: path.name)
def test_links_within_the_tree_lead_somewhere(path):
    for target in LINK.findall(path.read_text(encoding="utf-8")):
        if not target.startswith(("http:", "https:")):
            assert (path.parent / target).exists(), target


def test_every_page_is_in_the_sites_list():
    listed = re.findall(r"\b([\w-]+\.md)\b", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(path.name for path in Path(DOCS).glob("*.md"))
