"""Several machines on one kernel: each has a network and mounts of its own."""

import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import absent

# Where nothing is, in the range for networks that test others.
_NETWORK = "198.18"
_PIECE_BYTES = 65_536


@dataclass(frozen=True)
class Machine:
    """`gateway` is the only address that it reaches; `folder` is empty there, whatever it holds elsewhere."""

    namespace: str
    gateway: str
    folder: Path

    def command(self, arguments: Sequence[str]) -> list[str]:
        """The command on this machine."""
        inside = 'mount -t tmpfs none "$0" && cd "$0" && exec "$@"'
        return [
            *("ip", "netns", "exec", self.namespace),
            *("unshare", "--mount", "--propagation", "private"),
            *("sh", "-c", inside, str(self.folder), *arguments),
        ]


@contextmanager
def machines(count: int, *, hidden: Path, ports: Sequence[int]) -> Generator[list[Machine]]:
    """Machines that see nothing of the folder `hidden`, and of this one only these ports of its loopback."""
    if os.geteuid() != 0 or not all(map(shutil.which, ("ip", "unshare"))):
        absent("separate networks need root, and the programs ip (iproute2) and unshare")
    with ExitStack() as stack:
        yield [stack.enter_context(_machine(number, hidden, ports)) for number in range(count)]


@contextmanager
def _machine(number: int, hidden: Path, ports: Sequence[int]) -> Generator[Machine]:
    name = f"as{os.getpid()}-{number}"
    gateway, own = (f"{_NETWORK}.{os.getpid() % 250}.{4 * number + part}" for part in (1, 2))
    _run("ip", "netns", "add", name)
    try:
        _run("ip", "link", "add", f"{name}h", "type", "veth", "peer", "name", "up0", "netns", name)
        _run("ip", "address", "add", f"{gateway}/30", "dev", f"{name}h")
        _run("ip", "link", "set", f"{name}h", "up")
        _run("ip", "-n", name, "address", "add", f"{own}/30", "dev", "up0")
        _run("ip", "-n", name, "link", "set", "up0", "up")
        _run("ip", "-n", name, "link", "set", "lo", "up")
        with ExitStack() as stack:
            for port in ports:
                stack.enter_context(_forwarded(gateway, port))
            yield Machine(name, gateway, hidden)
    finally:
        # The other end of its cable goes with it.
        _run("ip", "netns", "delete", name)


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        absent(f"a machine's network cannot be made here: {' '.join(command)}: {done.stderr.strip()}")


@contextmanager
def _forwarded(address: str, port: int) -> Generator[None]:
    """The port of our loopback, at an address that another machine reaches."""
    with socket.create_server((address, port)) as listening:
        threading.Thread(target=_accept, args=(listening, port), daemon=True).start()
        yield
        # Wakes the thread.
        listening.shutdown(socket.SHUT_RDWR)


def _accept(listening: socket.socket, port: int) -> None:
    while True:
        try:
            near, _ = listening.accept()
        except OSError:
            return
        threading.Thread(target=_serve, args=(near, port), daemon=True).start()


def _serve(near: socket.socket, port: int) -> None:
    with near, socket.create_connection(("127.0.0.1", port)) as far:
        back = threading.Thread(target=_copy, args=(far, near), daemon=True)
        back.start()
        _copy(near, far)
        back.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    """Until either end is gone."""
    with suppress(OSError):
        while piece := source.recv(_PIECE_BYTES):
            target.sendall(piece)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)
