"""What the operator does at the command line, in the audit log."""

import getpass
import os
from typing import TYPE_CHECKING

from assay.engine.clock import SystemClock
from assay.engine.identity.audit import AuditLog

if TYPE_CHECKING:
    from assay.engine.stores import Stores


async def note(stores: "Stores", action: str, target: str) -> None:
    await AuditLog(stores.identity, SystemClock()).write(f"operator:{_name()}", action, target)


def _name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run under an id without a name
        return str(os.getuid())
