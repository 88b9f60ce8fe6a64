"""Space reserved beside a SQLite file: with the disk full, a run can still be paused with its reason."""

import os
import time
from pathlib import Path

_BYTES = 1024 * 1024
# Enough for one small transaction. If more were freed, the next checkpoint would use up the rest.
_PART = 64 * 1024
# Freed space is for pausing runs, so it is not reserved again at once.
_REST_S = 2.0


class Reserve:
    """A file that anyone may shrink when the disk is full; attempts are written only while it is whole."""

    def __init__(self, database: Path) -> None:
        self.path = database.with_name(f"{database.name}-reserve")

    def keep(self) -> bool:
        """Reserve the space; False where the disk does not have that much."""
        try:
            with self.path.open("ab") as file:
                missing = _BYTES - file.tell()
                if missing > 0 and self._is_spent(file.fileno()):
                    return False
                # Not zeros, which some file systems store in no space at all.
                file.write(os.urandom(max(0, missing)))
        except OSError:
            return False
        return True

    def spend(self) -> bool:
        """Free a part of the space; False where none was left."""
        try:
            size = self.path.stat().st_size
            os.truncate(self.path, max(0, size - _PART))
        except OSError:
            return False
        return size > 0

    def _is_spent(self, file: int) -> bool:
        """Whether a process has just freed a part, and the disk is still full."""
        found, disk = os.fstat(file), os.fstatvfs(file)
        is_resting = found.st_size > 0 and time.time() - found.st_mtime < _REST_S
        return is_resting and disk.f_bavail * disk.f_frsize < _BYTES
