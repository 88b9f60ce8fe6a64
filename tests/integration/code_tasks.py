"""Small tasks of our own, and an endpoint that answers them as a test says."""

import json
import re
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

_TESTS = """\
from numbers_ import double


def test_doubles(observe):
    observe([double(21), double("ab")])
"""
Reply = Callable[[str], str | None]
"""From the name of a task to the reply; None means an error of the endpoint."""


def add_task(folder: Path, name: str, **changes: str | None) -> Path:
    """A task to write `double`; `changes` replace files by path, with None for none."""
    metadata = {
        "task_id": name,
        "language": "python",
        "type": "bug_fix",
        "difficulty": "easy",
        "eval": {"timeout_seconds": 20},
    }
    files: dict[str, str | None] = {
        "metadata.json": json.dumps(metadata),
        "instructions.md": f"# {name}\n\n`double` returns twice its argument.\n",
        "workspace/numbers_.py": "def double(value):\n    return value\n",
        "tests/tests.py": _TESTS,
        "expected.json": json.dumps({"test_doubles": [[42, "abab"]]}),
        "solution/numbers_.py": "def double(value):\n    return 2 * value\n",
        "wrong/squares.patch": patch("return 2 * value", "return value * value"),
        **changes,
    }
    for path, text in files.items():
        if text is not None:
            (folder / name / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / name / path).write_text(text)
    return folder / name


def patch(removed: str, added: str) -> str:
    """A change of the line in `double`."""
    hunk = f"@@ -1,2 +1,2 @@\n def double(value):\n-    {removed}\n+    {added}\n"
    return f"--- a/numbers_.py\n+++ b/numbers_.py\n{hunk}"


def answer(factor: int) -> str:
    """A reply with a patch; only the factor 2 is right."""
    return f"Here it is.\n\n```diff\n{patch('return value', f'return {factor} * value')}```\n"


class Endpoint:
    """`asked` are the names of the tasks in the order of the calls; `reply` may be replaced at any time."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.asked: list[str] = []
        self.bodies: list[dict[str, Any]] = []
        self.base_url = ""


@contextmanager
def endpoint(reply: Reply) -> Generator[Endpoint]:
    served = Endpoint(reply)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send(200, {"data": [{"id": "coder"}]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            found = re.search(r"^# (\w+)$", body["messages"][-1]["content"], re.MULTILINE)
            task = found[1] if found else ""
            served.asked.append(task)
            served.bodies.append(body)
            text = served.reply(task)
            if text is None:
                self._send(400, {"error": {"message": "the model is away"}})
                return
            message = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
            self._send(200, {"model": "coder", "choices": [message], "usage": usage})

        def _send(self, status: int, document: dict[str, Any]) -> None:
            data = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            # The program under test may have been stopped.
            with suppress(BrokenPipeError, ConnectionResetError):
                self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 # named so by the base class
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        served.base_url = f"http://127.0.0.1:{server.server_port}/v1"
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()
