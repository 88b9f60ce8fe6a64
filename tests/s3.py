"""A real S3 server for the tests: a process of its own that speaks S3 over HTTP and keeps all in memory."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count

KEY = "test-access-key"
SECRET = "test/secret+access/key"  # noqa: S105 # of a server that takes any
_START_TIMEOUT_S = 60
_NUMBERS = count(1)


@dataclass(frozen=True, slots=True)
class S3Server:
    port: int

    def new_bucket(self) -> str:
        name = f"bucket-{os.getpid()}-{next(_NUMBERS)}"
        url = f"http://127.0.0.1:{self.port}/{name}"
        urllib.request.urlopen(urllib.request.Request(url, method="PUT"), timeout=60).close()
        return name

    def variables(self, bucket: str, *, host: str = "127.0.0.1") -> dict[str, str]:
        """What an installation is given to use the bucket."""
        return {
            "ASSAY_OBJECT_STORE": f"s3://{bucket}/assay",
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://{host}:{self.port}",
        }


@contextmanager
def running_s3(host: str = "127.0.0.1") -> Generator[S3Server]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "--host", host, "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + _START_TIMEOUT_S
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=5).close()
                break
            except OSError:
                assert process.poll() is None, "the S3 server ended"
                assert time.monotonic() < deadline
                time.sleep(0.05)
        yield S3Server(port)
    finally:
        process.kill()
        process.wait()
