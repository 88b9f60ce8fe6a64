"""The folders of a slot, prepared in a mount namespace that ends with the supervisor."""

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from assay.adapters.sandbox.local import linux, slots
from assay.adapters.sandbox.local.root import NETWORK_FILES, Root, SessionMounts
from assay.adapters.sandbox.local.slots import Slot
from assay.adapters.sandbox.local.workspace import Owner
from assay.domain.programs.sandbox import Limits

_INSIDE_ID = 1000
_STAGE_OPTIONS = "size=4m,nr_inodes=1k,mode=0711"


@dataclass(slots=True)
class SlotFolders:
    """The slot's folder: `files` holds the workspace and the temporary folders, under one quota.

    Without a mount namespace they are plain folders without a quota.
    """

    slot: Slot
    has_namespace: bool
    has_proc: bool = True
    mounted: list[Path] = field(default_factory=list[Path])

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
    def root(self) -> Root:
        return Root(self.slot.folder / "root", self.etc, self.files)

    @property
    def owner(self) -> Owner:
        return Owner(self.slot.uid, self.slot.gid)

    def enter(self) -> None:
        """Enter a private mount namespace; called once, at the start."""
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

    def _write_etc(self) -> None:
        """The files that programs expect: users, host names, and the cache of shared libraries."""
        self.etc.mkdir(mode=0o755)
        (self.etc / "alternatives").mkdir(mode=0o755)
        (self.etc / "passwd").write_text(f"sandbox:x:{_INSIDE_ID}:{_INSIDE_ID}::/tmp:/bin/sh\n")
        (self.etc / "group").write_text(f"sandbox:x:{_INSIDE_ID}:\n")
        for path in map(Path, NETWORK_FILES):
            # With network access the machine's own files are mounted over these.
            place = self.etc / path.name
            place.mkdir(mode=0o755) if path.is_dir() else place.touch(mode=0o644)
        (self.etc / "hosts").write_text("127.0.0.1 localhost\n::1 localhost\n")
        cache = Path("/etc/ld.so.cache")
        if cache.is_file():
            shutil.copyfile(cache, self.etc / "ld.so.cache")

    def renew(self, limits: Limits, session_mounts: SessionMounts) -> None:
        """Create empty folders with a new quota, and a root file system with the mounts of the session."""
        self.discard()
        self.files.mkdir(mode=0o711, exist_ok=True)
        if self.has_namespace:
            options = f"size={limits.disk_bytes},nr_inodes={limits.inodes},mode=0711"
            flags = linux.MS_NOSUID | linux.MS_NODEV
            linux.mount("tmpfs", str(self.files), kind="tmpfs", flags=flags, options=options)
            self.mounted.append(self.files)
        for name in ("workspace", "tmp", "shm"):
            folder = self.files / name
            folder.mkdir(mode=0o700)
            os.chown(folder, self.slot.uid, self.slot.gid)
        if self.has_namespace:
            self.mounted.append(self.root.mounted())
            self.root.build(session_mounts, has_proc=self.has_proc)

    def discard(self) -> None:
        while self.mounted:
            linux.unmount(str(self.mounted.pop()))
        if not self.has_namespace:
            slots.empty_folder(self.files)

    def clear(self) -> None:
        """Empty the workspace if only we have written to it; the mounts stay."""
        slots.empty_folder(self.workspace)

    def leave(self) -> None:
        self.discard()
        if self.has_namespace:
            linux.unmount(str(self.slot.folder))

    def is_full(self) -> bool:
        if not self.has_namespace:
            return False
        found = os.statvfs(self.files)
        return found.f_bavail == 0 or found.f_ffree == 0
