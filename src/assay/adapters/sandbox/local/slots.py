"""Slots to run programs in: each has a number, a folder, a lock, and under root its own user."""

import contextlib
import fcntl
import json
import os
import pwd
import signal
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

from assay.adapters.sandbox.local import groups

FIRST_UID = 61000
_MAX_SLOTS = 256
_AT_ONCE = 500
MARK = "ASSAY_SANDBOX_SLOT"


class SlotError(Exception):
    """No slot is available; the message says why."""


@dataclass(frozen=True, slots=True)
class Slot:
    """`uid` is the user that programs run as: the slot's own under root, else that of the service."""

    number: int
    uid: int
    gid: int
    root: Path
    lock: int

    @property
    def folder(self) -> Path:
        return self.root / str(self.number)

    @property
    def record(self) -> Path:
        return self.root / f"{self.number}.json"

    @property
    def name(self) -> str:
        return f"assay-sandbox-{os.getuid()}-{self.number}"

    def keep_fresh(self) -> None:
        """Touch the lock: systems delete files in temporary folders that have not been used for days."""
        os.utime(self.lock)

    def note(self, folders: list[Path]) -> None:
        """Record the control groups before they are used, for a later cleanup."""
        self.record.write_text(json.dumps([str(one) for one in folders]))


def claim_slot(root: Path) -> Slot:
    """The first free slot; removes what previous owners left in it and in every other free slot."""
    _prepare(root)
    chosen: Slot | None = None
    for number in range(_MAX_SLOTS):
        if chosen is not None and not (root / f"{number}.lock").exists():
            continue
        slot = _locked(root, number)
        if slot is None:
            continue
        _clean(slot)
        if chosen is None:
            chosen = slot
            slot.folder.mkdir(mode=0o711, exist_ok=True)
            slot.folder.chmod(0o711)
        else:
            os.close(slot.lock)
    if chosen is None:
        raise SlotError(f"all {_MAX_SLOTS} slots in {str(root)!r} are in use")
    return chosen


def release_slot(slot: Slot) -> None:
    _clean(slot)
    os.close(slot.lock)


def _prepare(root: Path) -> None:
    root.mkdir(mode=0o711, parents=True, exist_ok=True)
    found = root.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
        raise SlotError(f"{str(root)!r} is not a folder that only this user can write to; remove it")
    root.chmod(0o711)


def _locked(root: Path, number: int) -> Slot | None:
    is_root = os.getuid() == 0
    uid = FIRST_UID + number if is_root else os.getuid()
    if is_root and _is_somebodys(uid):
        return None
    lock = os.open(root / f"{number}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        return None
    return Slot(number, uid, uid if is_root else os.getgid(), root, lock)


def _is_somebodys(uid: int) -> bool:
    with contextlib.suppress(KeyError):
        return bool(pwd.getpwuid(uid))
    return False


def _clean(slot: Slot) -> None:
    for pid in _leftovers(slot):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(FileNotFoundError, ValueError):
        groups.remove_groups([Path(one) for one in json.loads(slot.record.read_text())])
    slot.record.unlink(missing_ok=True)
    empty_folder(slot.folder)
    with contextlib.suppress(FileNotFoundError):
        slot.folder.rmdir()


def empty_folder(folder: Path) -> None:
    """Remove the contents of a folder, at any depth; links are removed, not followed."""
    if not folder.is_dir():
        return
    with os.scandir(folder) as entries:
        paths = [entry.path for entry in entries]
    for start in range(0, len(paths), _AT_ONCE):
        subprocess.run(  # noqa: S603 # a fixed program, and paths that begin with a slash
            ["/bin/rm", "-rf", "--one-file-system", "--", *paths[start : start + _AT_ONCE]],
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def _leftovers(slot: Slot) -> list[int]:
    """Processes of the slot's user under root; otherwise those with the slot's marker."""
    found: list[int] = []
    own = f"{MARK}={slot.name}".encode()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            is_left = (
                _real_uid(entry) == slot.uid
                if os.getuid() == 0
                else own in (entry / "environ").read_bytes().split(b"\0")
            )
            if is_left:
                found.append(int(entry.name))
    return found


def _real_uid(process: Path) -> int:
    # The owner of the folder is root for a process that may not be dumped, so the status is read.
    lines = (process / "status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Uid:"))
