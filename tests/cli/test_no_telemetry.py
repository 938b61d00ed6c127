"""Nothing leaves the machine because of another program's variables in the environment."""

import socket
from threading import Thread

import pytest
from crag import shell


@pytest.fixture
def collector():
    """A port that notes who connects to it, and hangs up."""
    listening = socket.create_server(("127.0.0.1", 0))
    callers = []

    def listen():
        while True:
            try:
                connection, caller = listening.accept()
            except OSError:
                return
            callers.append(caller)
            connection.close()

    thread = Thread(target=listen)
    thread.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}", callers
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()
    thread.join()


def test_langsmith_s_variables_send_no_run_anywhere(tmp_path, collector):
    url, callers = collector
    file = tmp_path / "paris.md"
    file.write_text("# Paris\n\nThe capital of France is Paris.\n")
    traced = dict.fromkeys(("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"), "true")
    traced |= {"LANGSMITH_API_KEY": "x", "LANGSMITH_ENDPOINT": url}
    asked = f"$FORKED ingest {file} -q && $CRAG ask 'What is the capital of France?'"
    assert "Paris" in shell(tmp_path / "home", asked, CRAG_ENGINE="local", **traced).stdout
    assert callers == []
