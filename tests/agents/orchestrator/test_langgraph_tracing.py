"""A tracer that the environment turns on for other programs gets nothing of the story."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

pytestmark = pytest.mark.slow

_PROGRAM = """
import asyncio, sys
from pathlib import Path
from langchain_core.tracers.langchain import wait_for_all_tracers
from tests.agents.orchestrator.scripted_program import telling

async def play():
    async with telling(Path(sys.argv[1]), {}) as story:
        await story.program.services.play.submit(story.scene_id, "I open the door of the salt house.")
        return (await story.last()).text

print(asyncio.run(play()))
wait_for_all_tracers()
"""


@pytest.fixture
def tracing_requests() -> Iterator[tuple[str, list[str]]]:
    """Serve as a LangSmith on loopback; return its address and the requests that it gets."""
    requests: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            requests.append(f"{self.command} {self.path}")
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        do_GET = do_POST = do_PATCH = _answer  # noqa: N815, the names that the standard library calls

        def log_message(self, format: str, *args: object) -> None:
            """Keep the output of the tests free of requests."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", requests
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("switch", ["LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"])
def test_langgraph_sends_no_trace_although_the_environment_asks_for_it(
    switch: str, tracing_requests: tuple[str, list[str]], tmp_path: Path
) -> None:
    address, requests = tracing_requests
    environment = {
        **os.environ,
        switch: "true",
        "LANGSMITH_ENDPOINT": address,
        "LANGSMITH_API_KEY": "ls-of-somebody",
        "LANGCHAIN_ENDPOINT": address,
        "LANGCHAIN_API_KEY": "ls-of-somebody",
    }
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "The hinges give with a shriek." in done.stdout, done.stderr
    assert requests == []
