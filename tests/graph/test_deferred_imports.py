"""What others import and hardly use is not imported; whatever uses it gets the real thing."""

import pytest
from bare_process import run_code
from openai_samples import KEY
from scripted_server import ScriptedServer, call, text

from rag.deferred_imports import WITHOUT_TRACING

pytestmark = pytest.mark.ci
FILES = {"paris.md": "# Paris\n\nThe capital of France is Paris.\n"}


def deferred(code, **variables):
    begin = "from rag.deferred_imports import defer_imports\ndefer_imports()\n"
    return run_code(begin + code, **variables)


def test_a_model_answers_and_nothing_deferred_is_imported(home):
    code = """import sys
from cli.app import app
for option in ("--no-stream", "--events"):
    try:
        app(["ask", "What is the capital of France?", option], prog_name="crag")
    except SystemExit as leaving:
        assert not leaving.code
used = ("langsmith.client", "langgraph_sdk.client", "requests.sessions", "aiohttp",
        "openai.types.batch", "openai.types.responses.response", "openai.resources.beta",
        "langchain_openai.llms", "langchain_openai.chat_models.azure",
        "httpx._client", "yaml.reader", "opentelemetry.sdk.util", "overrides.enforce",
        "pydantic.v1.main", "openai.lib._bedrock_auth", "openai.lib.streaming.chat._types", "onnx")
loaded = [name for name in used if name in sys.modules]
assert not loaded, loaded
from state.tokens import encoding
assert not encoding.cache_info().currsize  # the server says how many tokens they were
"""
    reply = text("The capital of France is Paris [1].")
    graded = call({"document_1": {"relevant": True}})
    with ScriptedServer(graded, reply, graded, reply) as server:
        asked = {"CRAG_HOME": str(home), "OPENAI_API_KEY": KEY, "CRAG_BASE_URL": server.url}
        assert "Paris" in deferred(code, **asked, CRAG_GRADER="model")
        assert len(server.requests) == 4


def test_what_stands_in_says_what_langsmith_says_of_a_process_that_traces_nothing():
    codes = []
    for module, name in WITHOUT_TRACING:
        if name == "tracing_context":  # a block, in which the others are asked
            codes.append("""from langsmith import tracing_context
from langsmith.run_helpers import get_tracing_context
with tracing_context(enabled=False):
    print({**get_tracing_context(), "enabled": None})""")
        else:
            arguments = "{}" if name.startswith("_set") else ""
            codes.append(f"from {module} import {name}\nprint({name}({arguments}))")
    code = "\n".join(codes)
    assert deferred(code) == run_code(code)


def test_the_first_use_brings_the_real_package_to_all_who_named_it():
    """Each use in a fork of a process that has used nothing yet."""
    deferred("""import os, sys
from langsmith import RunTree
import requests
from requests import Session
import langchain_core.tracers.schemas as schemas
import langgraph.graph
assert not {'langsmith.client', 'requests.sessions'} & set(sys.modules)

for use in (
    "assert issubclass(Session, object)",
    "assert isinstance(Session(), Session)",
    "class Mine(Session): pass",
    "assert Session.__name__ == 'Session'",
    "try: {}[0]\\nexcept requests.HTTPError: raise\\nexcept KeyError: pass",
):
    if (child := os.fork()) == 0:
        exec(use)
        import requests.sessions
        assert Session is requests.sessions.Session
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, use
assert isinstance(RunTree(name='run', run_type='chain'), RunTree)
import langsmith.run_trees
assert RunTree is schemas.Run is langsmith.run_trees.RunTree
from langsmith.run_helpers import get_tracing_context
assert get_tracing_context.__module__ == 'langsmith.run_helpers'
assert 'requests.sessions' in sys.modules, 'langsmith itself uses it'
""")


def test_a_stand_in_that_is_still_there_once_the_real_one_is_used_is_no_circle():
    code = """import sys
import httpx
stand_in = sys.modules["httpx"]
httpx.Timeout(1)
sys.modules["httpx"] = stand_in  # as another thread sees it for a moment
try:
    raise ValueError
except ValueError:
    print(stand_in.TimeoutException.__name__)
"""
    assert "TimeoutException" in deferred(code)
