"""The file system that programs see: built once per session, and bound as a whole for each program."""

import os
import stat
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assay.adapters.sandbox.local import linux
from assay.domain.programs.sandbox import WORKSPACE, Mount

NETWORK_FILES = ("/etc/hosts", "/etc/nsswitch.conf", "/etc/resolv.conf", "/etc/ssl")

_SYSTEM = "/usr"
_ALTERNATIVES = "/etc/alternatives"
_SYSTEM_LINKS = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
# No terminals: our programs have none, and terminal ioctls have allowed escapes before.
_DEVICES = ("null", "zero", "full", "random", "urandom")
_DEVICE_LINKS = {"fd": "fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}
_OPTIONS = "size=1m,nr_inodes=1k,mode=0755"
# It holds what answers are compared with, and folders that are shown may contain it.
_OWN_PACKAGE = Path(__file__).resolve().parents[3]
_HARMLESS = linux.MS_NOSUID | linux.MS_NODEV
_SEALED = _HARMLESS | linux.MS_RDONLY


@dataclass(frozen=True, slots=True)
class SessionMounts:
    """Mounts and links that a session adds to the system's folders; links are (target, path)."""

    mounts: tuple[Mount, ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    has_network: bool = False

    def sources(self) -> tuple[tuple[int, int], ...]:
        """Device and inode of each source: a folder that was replaced is a different one."""
        found = [Path(one.source).stat() for one in self.mounts]
        return tuple((one.st_dev, one.st_ino) for one in found)


@dataclass(frozen=True, slots=True)
class Root:
    """`etc` and `files` are prepared by SlotFolders; `files` holds the folders that programs may write to."""

    folder: Path
    etc: Path
    files: Path

    def mounted(self) -> Path:
        """Mount an empty file system on the folder and return it."""
        self.folder.mkdir(mode=0o755, exist_ok=True)
        linux.mount("tmpfs", str(self.folder), kind="tmpfs", flags=linux.MS_NOSUID, options=_OPTIONS)
        return self.folder

    def build(self, session_mounts: SessionMounts, *, has_proc: bool) -> None:
        self._add_system()
        if has_proc:
            (self.folder / "proc").mkdir()
        self._add_devices()
        if session_mounts.has_network:
            self._add_names()
        for name, inside in (("tmp", "/tmp"), ("workspace", WORKSPACE)):  # noqa: S108 - inside the sandbox
            self._show(str(self.files / name), inside, _HARMLESS)
        for one in session_mounts.mounts:
            self._show(_readable(one.source), one.inside)
            self._hide_own_package(one.source, one.inside)
        for target, path in session_mounts.links:
            self._place(path).symlink_to(target)
        linux.restrict(str(self.folder), _SEALED)

    def _add_system(self) -> None:
        folders, links = _system()
        for folder in folders:
            self._show(folder, folder)
            self._hide_own_package(folder, folder)
        for path, target in links:
            self._place(path).symlink_to(target)
        self._show(str(self.etc), "/etc")
        if Path(_ALTERNATIVES).is_dir():
            self._show(_ALTERNATIVES, _ALTERNATIVES)

    def _add_names(self) -> None:
        """Name resolution and trusted certificates of this machine."""
        for path in NETWORK_FILES:
            if Path(path).exists():
                self._show(path, path)

    def _add_devices(self) -> None:
        folder = self.folder / "dev"
        for name in _DEVICES:
            self._show(f"/dev/{name}", f"/dev/{name}", linux.MS_NOSUID)
        for name, target in _DEVICE_LINKS.items():
            (folder / name).symlink_to(f"/proc/self/{target}")
        self._show(str(self.files / "shm"), "/dev/shm", _HARMLESS)  # noqa: S108

    def _show(self, source: str, inside: str, attributes: int = _SEALED) -> None:
        place = self._place(inside)
        if not place.exists():
            place.mkdir() if Path(source).is_dir() else place.touch()
        linux.mount(source, str(place), flags=linux.MS_BIND | linux.MS_REC)
        linux.restrict(str(place), attributes, is_recursive=True)

    def _hide_own_package(self, source: str, inside: str) -> None:
        """Cover it where it is a part of what was shown, such as the environment that a compiler is in."""
        shown = Path(source).resolve()
        if _OWN_PACKAGE.is_relative_to(shown):
            place = self._place(inside) / _OWN_PACKAGE.relative_to(shown)
            linux.mount("tmpfs", str(place), kind="tmpfs", flags=_SEALED)

    def _place(self, inside: str) -> Path:
        """The present location of a path inside; creates its parent folders."""
        place = self.folder / inside.lstrip("/")
        if not place.parent.resolve().is_relative_to(self.folder.resolve()):
            raise PermissionError(f"{inside!r} leads out of the sandbox through a link")
        place.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        return place


def _readable(source: str) -> str:
    if not Path(source).stat().st_mode & stat.S_IROTH and os.getuid() == 0:
        raise PermissionError(f"{source!r} cannot be read by other users; chmod -R a+rX it")
    return source


@cache
def _system() -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """The system's folders, and the links between them as (path, target)."""
    found = [Path(one) for one in _SYSTEM_LINKS]
    links = [(str(one), str(one.readlink())) for one in found if one.is_symlink()]
    folders = [str(one) for one in found if one.is_dir() and not one.is_symlink()]
    return (_SYSTEM, *folders), tuple(links)
