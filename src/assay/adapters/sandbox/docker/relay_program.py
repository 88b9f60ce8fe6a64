"""Runs beside a task's container, on the loopback address that both share; it needs Python alone.

Each HTTP request becomes a line of JSON on standard output, and each line on standard input is the response
to one of them. When standard input ends, so does the program.
"""

import base64
import itertools
import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Below the ports that systems give to connections.
PORT = 18573
MOST_BODY_BYTES = 8 * 1024 * 1024
MOST_AT_ONCE = 8
_IDLE_S = 60

numbers = itertools.count()
places = threading.BoundedSemaphore(MOST_AT_ONCE)
writing = threading.Lock()
waiting: dict[int, tuple[threading.Event, dict[str, object]]] = {}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _IDLE_S

    def do_GET(self) -> None:
        self.relay()

    def do_POST(self) -> None:
        self.relay()

    def relay(self) -> None:
        length = self.headers.get("Content-Length", "0" if self.command == "GET" else "")
        if not length.isdecimal():
            self.respond(411, b'{"error": {"message": "a request needs its Content-Length"}}')
        elif int(length) > MOST_BODY_BYTES:
            self.respond(413, b'{"error": {"message": "a request may have 8 MiB"}}')
        else:
            with places:
                self.ask(self.rfile.read(int(length)))

    def ask(self, body: bytes) -> None:
        number, answered, found = next(numbers), threading.Event(), dict[str, object]()
        waiting[number] = answered, found
        say(
            number=number,
            method=self.command,
            path=self.path,
            authorization=self.headers.get("Authorization", ""),
            body=base64.b64encode(body).decode(),
        )
        answered.wait()
        del waiting[number]
        content = base64.b64decode(str(found["body"]))
        self.respond(int(str(found["status"])), content, str(found["content_type"]))

    def respond(self, status: int, body: bytes, content_type: str = "application/json") -> None:
        self.close_connection = True
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 # the name in the base class
        """Standard output and error are not for logs."""


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is no fault."""


def say(**fields: object) -> None:
    with writing:
        sys.stdout.write(json.dumps(fields) + "\n")
        sys.stdout.flush()


def deliver() -> None:
    for line in sys.stdin:
        found: dict[str, object] = json.loads(line)
        asked = waiting.get(int(str(found["number"])))
        if asked is not None:
            asked[1].update(found)
            asked[0].set()
    # Threads may wait for answers that never come.
    os._exit(0)


if __name__ == "__main__":
    server = Server(("127.0.0.1", PORT), Handler)
    threading.Thread(target=deliver, daemon=True).start()
    say(port=PORT)
    server.serve_forever()
