"""What others import and no command uses is not imported, and what is named of it is harmless."""

import pytest
from bare_process import run_code
from openai_samples import KEY
from scripted_server import ScriptedServer, call, text

pytestmark = pytest.mark.ci
FILES = {"paris.md": "# Paris\n\nThe capital of France is Paris.\n"}


def left_out(code, **variables):
    begin = "from rag.absent_packages import leave_out_packages\nleave_out_packages()\n"
    return run_code(begin + code, **variables)


def test_a_model_answers_and_nothing_absent_is_imported(home):
    code = """import sys
from cli.app import app
for option in ("--no-stream", "--events"):
    try:
        app(["ask", "What is the capital of France?", option], prog_name="crag")
    except SystemExit as leaving:
        assert not leaving.code
used = ("aiohttp", "openai.types.batch", "openai.types.responses.response",
        "langchain_openai.llms", "langchain_openai.chat_models.azure", "grpc", "urllib3",
        "openai.resources.beta", "opentelemetry.sdk.util", "pydantic.v1.main", "httpx._main")
loaded = [name for name in used if name in sys.modules]
assert not loaded, loaded
for name in ("langsmith", "langgraph_sdk", "overrides"):
    assert not hasattr(sys.modules[name], "__file__"), name
from state.tokens import encoding
assert not encoding.cache_info().currsize  # the server says how many tokens they were
"""
    reply = text("The capital of France is Paris [1].")
    graded = call({"document_1": {"relevant": True}})
    with ScriptedServer(graded, reply, graded, reply) as server:
        asked = {"CRAG_HOME": str(home), "OPENAI_API_KEY": KEY, "CRAG_BASE_URL": server.url}
        assert "Paris" in left_out(code, **asked, CRAG_GRADER="model")
        assert len(server.requests) == 4


def test_a_name_of_an_absent_package_may_stand_where_a_class_may():
    left_out("""import requests
from langsmith import RunTree, run_helpers
from requests.auth import AuthBase as Base
assert run_helpers.__name__ == 'langsmith.run_helpers'
assert RunTree is RunTree | RunTree and RunTree[int] is RunTree
class Mine(Base): pass
assert not isinstance(1, Mine | requests.Session)
try: {}[0]
except requests.HTTPError: raise
except KeyError: pass
import langchain_core.tracers.schemas as schemas
assert schemas.Run is RunTree
""")
