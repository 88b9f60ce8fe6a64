"""What `assay run` is given for its requests reaches the endpoint, and secrets nothing else."""

import json
import threading
from collections.abc import Generator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tests.integration.cli import Assay

CANARY = "canary-0123456789abcdef"
KEY = "canary-key-0123456789"


@dataclass
class Recorder:
    """Answers every request with A and repeats one of its headers, as careless servers do."""

    headers: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    bodies: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    url: str = ""
    # Further members of the choice in each reply.
    choice: dict[str, Any] = field(default_factory=dict[str, Any])


@pytest.fixture
def recorder() -> Generator[Recorder]:
    seen = Recorder()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer({"object": "list", "data": []})

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            seen.bodies.append(json.loads(self.rfile.read(length)))
            seen.headers.append(dict(self.headers.items()))
            content = f"You sent {self.headers.get('X-Key')}. The answer is (A)."
            choice = {
                "index": 0,
                "message": {"role": "assistant", "content": content},
                "finish_reason": "stop",
                **seen.choice,
            }
            self._answer({"object": "chat.completion", "choices": [choice]})

        def _answer(self, document: dict[str, Any]) -> None:
            body = json.dumps(document).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 # the name of the base class
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    seen.url = f"http://127.0.0.1:{server.server_port}/v1"
    yield seen
    server.shutdown()
    server.server_close()
    thread.join()


def test_options_reach_the_endpoint_and_values_of_headers_nothing_else(
    tmp_path: Path, recorder: Recorder
) -> None:
    assay = Assay(tmp_path / "home", (("ROUTE_KEY", CANARY), ("VLLM_API_KEY", KEY)))
    document = assay.json(
        *("run", "vllm/one,ollama/two", "mmlu_pro", "--data", "demo", "--limit", "2", "--epochs", "1"),
        *("--base-url", f"vllm/one={recorder.url}", "--base-url", recorder.url),
        *("--system", "Be brief.", "--stop", "###", "--model-seed", "7", "--timeout", "20", "--retries", "1"),
        *("--option", "top_k=40", "--option", "chat_template_kwargs.enable_thinking=false"),
        *("--header", "X-Key=${ROUTE_KEY}", "--header", "X-Plain=plain-0123456789abcdef", "--few-shot", "1"),
    )
    assert document["status"] == "succeeded"
    assert {one["scored"] for one in document["evaluations"]} == {2}
    assert len(recorder.bodies) >= 4
    for body, headers in zip(recorder.bodies, recorder.headers, strict=True):
        assert body["messages"][0] == {"role": "system", "content": "Be brief."}
        assert body["messages"][1]["content"].count("Question:") == 2
        assert (body["stop"], body["seed"], body["top_k"]) == (["###"], 7, 40)
        assert body["chat_template_kwargs"] == {"enable_thinking": False}
        assert headers["X-Key"] == CANARY
        assert headers.get("Authorization") == (f"Bearer {KEY}" if body["model"] == "one" else None)
    shown = json.dumps(document) + assay("show", document["run_id"]).stdout
    shown += assay("items", document["run_id"]).stdout + assay("show", document["run_id"], "--json").stdout
    assert assay("export", document["run_id"], "--out", "run.zip").returncode == 0
    with ZipFile(tmp_path / "run.zip") as archive:
        shown += "".join(archive.read(name).decode() for name in archive.namelist())
    assert '"headers":["X-Key","X-Plain"]' in shown
    for hidden in (CANARY, KEY, "plain-0123456789abcdef"):
        assert hidden not in shown
    stored = b"".join(path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file())
    assert CANARY.encode() not in stored


def test_a_missing_variable_of_a_header_is_told_before_anything_is_asked(
    tmp_path: Path, recorder: Recorder
) -> None:
    code, line = Assay(tmp_path / "home").failure(
        *("run", "vllm/one", "mmlu_pro", "--data", "demo", "--base-url", recorder.url),
        *("--header", "X-Key=${ROUTE_KEY}"),
    )
    assert (code, recorder.bodies) == (2, [])
    assert "ROUTE_KEY, which is not set" in line
