"""The wheel and the sdist: what is in them, and that the wheel alone is enough.

Nothing is downloaded: the wheel is installed by pip without its dependencies, and the new
environment sees those of the running one through a path file of its own.
"""

import os
import re
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from bare_process import finished
from readme_commands import ROOT, clone

CODE = ("cli", "rag", "state")
# Distributions whose module has another name.
MODULES = {
    "langgraph-checkpoint-postgres": "langgraph.checkpoint.postgres",
    "langgraph-checkpoint-sqlite": "langgraph.checkpoint.sqlite",
    "pillow": "PIL",
    "pystemmer": "Stemmer",
}
SUFFIXES = {".py", ".json", ".txt", ".typed"}


def run(*command: object, folder: Path, **environment: str) -> str:
    done = finished(command, cwd=folder, env={**os.environ, **environment}, timeout=300)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A clone in which both were built: the sdist, and the wheel from what that holds."""
    folder = tmp_path_factory.mktemp("package") / "tree"
    folder.mkdir()
    clone(folder)
    run(sys.executable, "-m", "build", "--no-isolation", ".", folder=folder)
    return folder


@pytest.fixture(scope="module")
def wheel(tree):
    return next((tree / "dist").glob("*.whl"))


@pytest.mark.ci
def test_the_wheel_holds_the_code_its_data_and_the_licence_and_no_tests(wheel):
    held = [name for name in zipfile.ZipFile(wheel).namelist() if not name.endswith("RECORD")]
    inside = {name for name in held if ".dist-info/" not in name and ".data/" not in name}
    ours = {
        path.relative_to(ROOT).as_posix()
        for name in CODE
        for path in (ROOT / name).rglob("*")
        if path.suffix in SUFFIXES
    }
    updates = {f"rag/embed/{name}.safetensors" for name in ("judge", "reader")}
    assert inside == ours | updates | {"cli/skill.md", "state/o200k_base.bin"}
    assert "rag/engines/local/grader.json" in inside
    assert {f"{name}/py.typed" for name in CODE} <= inside
    others = [name for name in held if name not in inside]
    assert any(name.endswith("licenses/LICENSE") for name in others)


@pytest.mark.ci
def test_the_sdist_holds_the_tests(tree):
    with tarfile.open(next((tree / "dist").glob("*.tar.gz"))) as file:
        held = {name.partition("/")[2] for name in file.getnames()}
    wanted = {"tests/conftest.py", "sample_corpus/questions.jsonl", "demo.sh", "Makefile"}
    assert wanted <= held


@pytest.mark.ci
def test_the_wheel_runs_the_demo_in_an_environment_of_its_own(tree, wheel, tmp_path):
    environment, empty = tmp_path / "environment", tmp_path / "empty"
    empty.mkdir()
    run(sys.executable, "-m", "venv", "--without-pip", environment, folder=tmp_path)
    python = environment / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python]
    run(*pip, "install", "--quiet", "--no-index", "--no-deps", wheel, folder=empty)
    packages = next((environment / "lib").glob("python*/site-packages"))
    lenders = [entry for entry in sys.path if entry.endswith("site-packages")]
    (packages / "dependencies.pth").write_text("\n".join(lenders))

    code = (
        "import sys; sys.modules['bpe_openai'] = None; import cli, rag, state.tokens as tokens;"
        "assert tokens.count_tokens('hello world') == 2;"
        "print(cli.__file__, rag.__file__, tokens.__file__)"
    )
    for file in run(python, "-I", "-c", code, folder=empty).split():
        assert Path(file).is_relative_to(packages)

    set_up = environment / "installed"
    set_up.touch()
    made = (f"BIN={environment / 'bin'}", f"STAMP={set_up}")
    told = run("make", "demo", *made, folder=tree, PYTHONPATH="")
    assert "default: 28 added" in told
    assert "loop 0: Who is the treasurer?" in told
    assert "Desmond Pryke (treasurer)" in told
    assert "No answer to" in told


def test_every_dependency_is_used_by_some_code_path():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    code = "\n".join(file.read_text("utf-8") for top in CODE for file in (ROOT / top).rglob("*.py"))
    extras = project["optional-dependencies"].values()
    for dependency in [*project["dependencies"], *(each for extra in extras for each in extra)]:
        name = re.match(r"[\w-]+", dependency)[0]
        module = MODULES.get(name, name.replace("-", "_"))
        assert re.search(rf"((import|from) |find_spec\(\"|\"-m\", \"){module}\b", code), name


def test_the_lock_leaves_out_what_the_overrides_do_but_for_the_tools_of_development():
    texts = {name: (ROOT / name).read_text("utf-8") for name in ("overrides.txt", "Makefile")}
    never = " ; sys_platform == 'never'"
    left_out = re.findall(r'^(\S+); sys_platform == "never"', texts["overrides.txt"], re.MULTILINE)
    pins = re.findall(
        r"^(\S+)==(.*)", (ROOT / "requirements.lock").read_text("utf-8"), re.MULTILINE
    )
    locked = {name for name, pin in pins if never not in pin} & {*left_out}
    developed = re.search(r"^DEVELOPED := (.+)$", texts["Makefile"], re.MULTILINE)[1]
    assert locked == set(developed.split("|"))
