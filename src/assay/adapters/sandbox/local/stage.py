"""What a program sees of the file system: prepared in a mount namespace that dies with the supervisor."""

import os
import shutil
import stat
from dataclasses import dataclass, field
from pathlib import Path

from assay.adapters.sandbox.local import linux, slots
from assay.adapters.sandbox.local.slots import Slot
from assay.adapters.sandbox.local.workspace import Owner
from assay.domain.sandbox import Limits, Mount

_INSIDE_ID = 1000
_STAGE_OPTIONS = "size=4m,nr_inodes=1k,mode=0711"


@dataclass(slots=True)
class Stage:
    """The slot's folder: `files` holds the workspace and the temporary folders, under one quota.

    Without a mount namespace they are plain folders without a quota.
    """

    slot: Slot
    has_namespace: bool
    mounted: int = 0
    places: dict[tuple[int, int], Path] = field(default_factory=dict[tuple[int, int], Path])

    @property
    def files(self) -> Path:
        return self.slot.folder / "files"

    @property
    def workspace(self) -> Path:
        return self.files / "workspace"

    @property
    def etc(self) -> Path:
        return self.slot.folder / "etc"

    @property
    def owner(self) -> Owner:
        return Owner(self.slot.uid, self.slot.gid)

    def enter(self) -> None:
        """Leave the host's mounts behind; once, at the start."""
        if not self.has_namespace:
            return
        uid, gid = os.getuid(), os.getgid()
        if uid == 0:
            linux.unshare(linux.CLONE_NEWNS)
        else:
            linux.unshare(linux.CLONE_NEWUSER | linux.CLONE_NEWNS)
            Path("/proc/self/setgroups").write_text("deny")
            Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
            Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
        linux.mount("none", "/", flags=linux.MS_REC | linux.MS_PRIVATE)
        flags = linux.MS_NOSUID | linux.MS_NODEV
        linux.mount("tmpfs", str(self.slot.folder), kind="tmpfs", flags=flags, options=_STAGE_OPTIONS)
        self._write_etc()
        (self.slot.folder / "mounts").mkdir(mode=0o711)

    def _write_etc(self) -> None:
        """The little that programs expect: who they are, and where shared libraries are."""
        self.etc.mkdir(mode=0o755)
        (self.etc / "alternatives").mkdir(mode=0o755)
        (self.etc / "passwd").write_text(f"sandbox:x:{_INSIDE_ID}:{_INSIDE_ID}::/tmp:/bin/sh\n")
        (self.etc / "group").write_text(f"sandbox:x:{_INSIDE_ID}:\n")
        cache = Path("/etc/ld.so.cache")
        if cache.is_file():
            shutil.copyfile(cache, self.etc / "ld.so.cache")

    def renew(self, limits: Limits) -> None:
        """Empty files with a new quota."""
        self.discard()
        self.files.mkdir(mode=0o711, exist_ok=True)
        if self.has_namespace:
            options = f"size={limits.disk_bytes},nr_inodes={limits.inodes},mode=0711"
            flags = linux.MS_NOSUID | linux.MS_NODEV
            linux.mount("tmpfs", str(self.files), kind="tmpfs", flags=flags, options=options)
            self.mounted += 1
        for name in ("workspace", "tmp", "shm"):
            folder = self.files / name
            folder.mkdir(mode=0o700)
            os.chown(folder, self.slot.uid, self.slot.gid)

    def discard(self) -> None:
        if self.has_namespace:
            while self.mounted:
                linux.unmount(str(self.files))
                self.mounted -= 1
        else:
            slots.emptied(self.files)

    def clear(self) -> None:
        """Empty the workspace of files that only we have written; its mounts stay as they are."""
        slots.emptied(self.workspace)

    def leave(self) -> None:
        self.discard()
        if self.has_namespace:
            linux.unmount(str(self.slot.folder))

    def is_full(self) -> bool:
        if not self.has_namespace:
            return False
        found = os.statvfs(self.files)
        return found.f_bavail == 0 or found.f_ffree == 0

    def staged(self, mounts: tuple[Mount, ...]) -> list[Mount]:
        """The same mounts, by paths that the slot's user can reach: under root an original may be private."""
        if not self.has_namespace or os.getuid() != 0:
            return list(mounts)
        return [self._staged(one) for one in mounts]

    def _staged(self, one: Mount) -> Mount:
        source = Path(one.source).resolve()
        found = source.stat()
        if not found.st_mode & stat.S_IROTH:
            raise PermissionError(f"{str(source)!r} cannot be read by other users; chmod -R a+rX it")
        # By inode: a folder that was replaced since is another one.
        key = (found.st_dev, found.st_ino)
        if key not in self.places:
            place = self.slot.folder / "mounts" / str(len(self.places))
            place.mkdir() if source.is_dir() else place.touch()
            linux.mount(str(source), str(place), flags=linux.MS_BIND | linux.MS_REC)
            self.places[key] = place
        return Mount(str(self.places[key]), one.inside)
