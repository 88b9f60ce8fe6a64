"""Upgrades a database to the schema of this code; several processes may open it at once."""

import contextlib
import logging
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from assay.adapters.store.database.database import Database
from assay.adapters.store.database.locks import Lock, hold
from assay.adapters.store.database.url import Location
from assay.domain.errors import StoreError

_log = logging.getLogger(__name__)
HEAD = "0023"
_REVISION = text("SELECT version_num FROM alembic_version")
MIGRATIONS = Path(__file__).parent / "migrations"


async def prepare(database: Database) -> None:
    """Upgrade an empty or older database; refuse one that a later version has written."""
    if await database.read(revision_of) != HEAD:
        await database.write(partial(_upgrade, where=database.location))


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What an upgrade would do; `revision` is None for an empty database."""

    revision: str | None
    seconds: float


async def rehearse(database: Database) -> Rehearsal:
    """Upgrade the database and take all of it back; meanwhile it holds the locks of an upgrade."""
    revision, began_s = await database.read(revision_of), time.monotonic()

    def upgrade(connection: Connection) -> None:
        _upgrade(connection, where=database.location)
        raise _TakenBackError

    with contextlib.suppress(_TakenBackError):
        await database.write(upgrade)
    return Rehearsal(revision, time.monotonic() - began_s)


class _TakenBackError(Exception):
    """Raised to roll the transaction back."""


def _upgrade(connection: Connection, *, where: Location) -> None:
    # Imported here: most openings find nothing to do, and start faster without it.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    hold(connection, Lock.SCHEMA)
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    revision = revision_of(connection)
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if revision is not None and revision not in known:
        raise StoreError(
            f"{where} was written by a later version of Assay (schema {revision!r}, here {HEAD!r}); "
            "upgrade Assay or use another database"
        )
    if revision not in (None, HEAD):
        _log.warning("upgrading %s from schema %s to %s; this may take minutes", where, revision, HEAD)
    command.upgrade(config, HEAD)


def later_revision(connection: Connection) -> str | None:
    """The revision of a database that was prepared, if a later version has upgraded it since; else None."""
    found = connection.scalar(_REVISION)
    return None if found == HEAD else found


def revision_of(connection: Connection) -> str | None:
    """None for a database without our tables."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.scalar(_REVISION)
