"""What others import and hardly use is not imported; whatever uses it gets the real thing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rag.deferred_imports import DEFERRED, WITHOUT_TRACING


def run(code, *arguments, **environment):
    done = subprocess.run(
        [sys.executable, *(["-c", code] if "\n" in code else [code]), *arguments],
        env={**os.environ, "PYTHONPATH": ":".join(sys.path), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def deferred(code, **environment):
    return run(
        f"from rag.deferred_imports import defer_imports\ndefer_imports()\n{code}", **environment
    )


def test_a_graph_streams_stops_resumes_and_is_kept_as_without(tmp_path):
    child = str(Path(__file__).with_name("deferred_graph.py"))
    used, told = json.loads(run(child, "deferred", str(tmp_path / "one")))
    whole, expected = json.loads(run(child, "whole", str(tmp_path / "two")))
    assert used == []
    assert len(whole) == 3
    assert told == expected
    assert ["messages", "well"] in told


@pytest.mark.parametrize("package", DEFERRED)
def test_langgraph_still_imports_what_is_deferred(package):
    """When it does so no more, take the package out of DEFERRED."""
    heart = {"langsmith": "langsmith.client", "langgraph_sdk": "langgraph_sdk.client"}
    found = run(
        f"import sys, langgraph.graph\nprint({heart.get(package, package)!r} in sys.modules)"
    )
    assert found == "True\n"


@pytest.mark.parametrize("place", WITHOUT_TRACING)
def test_what_stands_in_says_what_langsmith_says_of_a_process_that_traces_nothing(place):
    module, name = place
    arguments = "{}" if name.startswith("_set") else ""
    code = f"from {module} import {name}\nprint({name}({arguments}))"
    assert deferred(code) == run(code)


@pytest.mark.parametrize("switch", ["LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"])
def test_nothing_is_deferred_where_tracing_is_wanted(switch):
    code = "import sys, langgraph.graph\nprint('langsmith.client' in sys.modules)"
    assert deferred(code, **{switch: "true"}) == "True\n"


@pytest.mark.parametrize(
    "use",
    [
        "assert issubclass(RunTree, object)",
        "assert isinstance(RunTree(name='run', run_type='chain'), RunTree)",
        "class Mine(RunTree): pass",
        "assert RunTree.__name__ == 'RunTree'",
    ],
)
def test_the_first_use_brings_the_real_package_to_all_who_named_it(use):
    code = f"""import sys
from langsmith import RunTree
import langchain_core.tracers.schemas as schemas
import langgraph.graph
assert 'langsmith.client' not in sys.modules
{use}
assert 'langsmith.client' in sys.modules
import langsmith.run_trees
assert RunTree is schemas.Run is langsmith.run_trees.RunTree
assert type(RunTree) is not object
from langsmith.run_helpers import get_tracing_context
assert get_tracing_context.__module__ == 'langsmith.run_helpers'
assert 'requests.sessions' in sys.modules, 'langsmith itself uses it'
"""
    deferred(code)


def test_a_module_that_was_imported_whole_is_whole_once_used():
    code = """import requests
kept = requests.get
import langchain_core.utils.utils as utils
try:
    kept('http://127.0.0.1:9/')
except requests.exceptions.ConnectionError:
    print('refused')
assert utils.HTTPError is requests.HTTPError is requests.exceptions.HTTPError
"""
    assert deferred(code) == "refused\n"


def test_a_package_that_is_not_installed_is_not_found():
    code = """import importlib.machinery as machinery
find = machinery.PathFinder.find_spec
machinery.PathFinder.find_spec = lambda name, *_: None if name == 'requests' else find(name, *_)
try:
    import requests
except ModuleNotFoundError as error:
    print(error.name)
"""
    assert deferred(code) == "requests\n"
