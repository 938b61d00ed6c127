"""Every command in the README and on the other pages of the docs, run as printed."""

import contextlib
import os
import shutil

import pytest
from bare_process import finished
from readme_blocks import PAGES, README
from readme_commands import ROOT, clone, programs, sections
from scripted_server import ScriptedServer, text
from searx_server import SearxServer

SECTIONS = {
    heading if page == README else f"{page.stem}: {heading}": blocks
    for page in PAGES
    for heading, blocks in sections(page.read_text(encoding="utf-8")).items()
}

# What a reader puts something of their own for.
PLACEHOLDERS = {
    "sk-…": "sk-test",
    "http://localhost:11434/v1": "{model.url}",
    "http://localhost:8000/v1": "{model.url}",
    "postgresql://user@host/db": "{postgres.url}",
    "https://your.searxng/search": "{searx.url}",
}
# What a person would type; other commands find their input at its end.
TYPED = {
    "crag chat -t railway": "When do trains run in summer?\n",
    "crag chat --threads postgresql://user@host/db -t railway": "How long is the tunnel?\n",
}
# Commands that end otherwise than with 0: abstained; nobody there to confirm.
CODES = {
    'crag ask "What is the capital of Mongolia?"': 3,
    "crag collections delete default": 2,
    "crag threads delete railway": 2,
}
# A registry's, and programs of other projects, by how they begin. What they do is tested in another
# form.
ELSEWHERE = {
    "make demo": "docs/test_packaging.py",
    "make dist": "docs/test_packaging.py",
    "make ask-docs": "benchmarks/docs_questions/queries.jsonl",
    "pipx install": "state/test_extras.py",
    "uv tool install": "state/test_extras.py",
    "pip install": "docs/test_packaging.py",
    "crag mcp serve": "cli/test_mcp.py",
    "crag model get": "embed/test_weights.py",
    "ollama pull": "support/scripted_server.py",
    "vllm serve": "support/scripted_server.py",
    "python -m pytest tests/": "citations/test_false_claims.py",
}
# What begins before anything was ingested.
NEW = ("Top",)
# Sections whose every question is put to a model.
MODELS = [f"models: {name}" for name in ("OpenAI, and what a question may cost", "Ollama")]
MODELS.append("models: LM Studio, llama.cpp, vLLM")
# test_pages.py evaluates the folder that is shown.
OWN_DATA = ("DATA", "DIR", "DOCS", "FOLDER", "NATURAL", "REAL")
SLOW = (
    "make check",
    "make test-long",
    "python -m pytest --long",
    "python tests/benchmarks/",
    "crag eval sample_corpus",
)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A clone with an environment set up, and the programs of it."""
    folder = tmp_path_factory.mktemp("readme")
    (folder / "clone").mkdir()
    clone(folder / "clone")
    programs(folder / "bin")
    environment = folder / "clone" / ".venv"
    environment.mkdir()
    (environment / "bin").symlink_to(folder / "bin")
    (environment / ".installed").touch()
    return folder


@pytest.fixture
def servers(request):
    """What the placeholders stand for."""
    asked = str(SECTIONS[request.node.callspec.params["section"]])
    mayor = {"title": "Tokyo", "url": "https://a.example", "content": "Koike is mayor of Tokyo."}
    with contextlib.ExitStack() as stack:
        model = stack.enter_context(ScriptedServer(always=text("It is 1,122 metres long [1].")))
        searx = stack.enter_context(SearxServer([mayor]))
        postgres = request.getfixturevalue("postgres") if "postgresql://" in asked else None
        yield {"model": model, "searx": searx, "postgres": postgres}


@pytest.fixture(scope="module")
def run(place):
    """As somebody who has made a clone and set up its environment."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
        "PATH": f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(place / "clone"),
        "COLUMNS": "80",
        "NO_COLOR": "1",
        # `make test` runs one small file, not this one once more, and starts no worker for it.
        "PYTEST_ADDOPTS": "tests/fakes/test_isolation.py",
        "PYTEST_XDIST_AUTO_NUM_WORKERS": "0",
    }

    def bash(home, *lines, **options):
        here = {**environment, "HOME": str(home), "CRAG_HOME": str(home / "crag")}
        script = ["bash", "-c", "\n".join(lines)]
        return finished(script, cwd=place / "clone", env=here, **options)

    return bash


@pytest.fixture(scope="module")
def used_home(run, place):
    """A home with the sample corpus and a thread."""
    asked = "crag ask -t railway 'How long is the tunnel?'"
    done = run(place / "used", f"crag ingest sample_corpus && {asked}", input="")
    assert done.returncode == 0, done.stderr
    return place / "used"


@pytest.fixture
def home(request, tmp_path):
    if request.node.callspec.params["section"] in NEW:
        return tmp_path
    return shutil.copytree(request.getfixturevalue("used_home"), tmp_path / "home")


def in_place(command: str, servers) -> str:
    for placeholder, value in PLACEHOLDERS.items():
        if placeholder in command:
            command = command.replace(placeholder, value.format_map(servers))
    return command


@pytest.mark.parametrize("section", SECTIONS)
def test_every_command_runs_as_printed(section, run, home, servers, request):
    long = request.config.getoption("--long")
    for block in SECTIONS[section]:
        set_up = [f"export OPENAI_BASE_URL={servers['model'].url}"] if section in MODELS else []
        for command in block:
            if command.startswith(tuple(ELSEWHERE)) or (command.startswith(SLOW) and not long):
                continue
            if any(word in command for word in OWN_DATA):
                continue
            line = in_place(command, servers)
            typed, seconds = TYPED.get(command, ""), 1800 if long else 300
            done = run(home, *set_up, line, input=typed, timeout=seconds)
            set_up += [line] if line.startswith("export ") else []
            said = f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
            assert done.returncode == CODES.get(command, 0), said
            assert "Traceback" not in done.stderr, said
    if section in MODELS:
        answered = [found for found in servers["model"].requests if "stream" in found.body]
        assert answered


def test_a_newcomer_s_commands_come_first_and_what_is_run_in_another_form_has_that_form():
    assert SECTIONS["Top"][0][:2] == ["make demo", "make test"]
    printed = {command for blocks in SECTIONS.values() for block in blocks for command in block}
    for begin, file in ELSEWHERE.items():
        assert any(command.startswith(begin) for command in printed)
        assert (ROOT / "tests" / file).exists()
    assert {*TYPED, *CODES} <= printed
    for placeholder in PLACEHOLDERS:
        assert any(placeholder in command for command in printed)
