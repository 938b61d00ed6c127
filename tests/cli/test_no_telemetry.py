"""Nothing leaves the machine because of a library, or of another program's variables."""

from bare_process import run_code
from crag import shell
from searx_server import SearxServer


def test_langsmith_s_variables_send_no_run_anywhere(tmp_path):
    file = tmp_path / "paris.md"
    file.write_text("# Paris\n\nThe capital of France is Paris.\n")
    traced = dict.fromkeys(("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"), "true")
    asked = f"$FORKED ingest {file} -q && $CRAG ask 'What is the capital of France?'"
    with SearxServer() as server:  # which notes whatever is asked of it
        traced |= {"LANGSMITH_API_KEY": "x", "LANGSMITH_ENDPOINT": f"http://{server.host}"}
        assert "Paris" in shell(tmp_path / "home", asked, CRAG_ENGINE="local", **traced).stdout
    assert (server.asked, server.requests) == ([], [])


def test_the_runtime_of_the_reader_keeps_no_name_of_this_machine_to_tell(tmp_path):
    code = "import rag.session, onnxruntime"  # as a program of one's own has it
    run_code(code, HOME=str(tmp_path), ORT_DISABLE_TELEMETRY="0")
    assert [*tmp_path.iterdir()] == []
