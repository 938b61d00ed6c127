"""`langgraph dev` serves the graph that langgraph.json names, and answers over its API."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from crag import sample_home
from ports import free_port, wait_for_port

ROOT = Path(__file__).parents[2]


def post(url: str, body: object) -> object:
    asked = urllib.request.Request(
        url, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(asked, timeout=60) as reply:
        return json.load(reply)


@pytest.fixture
def server(tmp_path):
    pytest.importorskip("langgraph_api", reason="langgraph-cli[inmem] is not installed")
    sample_home(tmp_path)
    (tmp_path / "project").mkdir()
    named = json.loads((ROOT / "langgraph.json").read_text("utf-8"))
    named["graphs"] = {
        name: str(ROOT / place.removeprefix("./")) for name, place in named["graphs"].items()
    }
    (tmp_path / "project" / "langgraph.json").write_text(json.dumps(named))  # it writes beside it
    port = free_port()
    serve = "from langgraph_cli.cli import cli; cli()"
    words = ["dev", "--no-browser", "--no-reload", "--port", str(port)]
    process = subprocess.Popen(
        [sys.executable, "-c", serve, *words],
        cwd=tmp_path / "project",
        env={
            **os.environ,
            "CRAG_HOME": str(tmp_path / "home"),
            "PYTHONPATH": str(ROOT),
            "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        wait_for_port(port, process)
        yield url
    finally:
        process.terminate()
        process.communicate(timeout=60)


def test_langgraphs_server_answers_a_question(server):
    asked = {"question": "How many parking spaces are there at Hollin Bridge?"}
    state = post(f"{server}/runs/wait", {"assistant_id": "crag", "input": asked})
    assert state["status"] == "answered"
    assert "120 spaces" in state["generation"]
    assert state["citations"][0]["source"] == "museum/visitor-faq.html"
