"""Votes between two answers."""

from dataclasses import asdict, fields

from sqlalchemy import Connection, insert, select
from sqlalchemy.exc import IntegrityError

from assay.adapters.store.arena.tables import arena_votes
from assay.adapters.store.database.failures import is_duplicate
from assay.adapters.store.database.transactions import DatabaseStore, read, write
from assay.domain.arena import Vote
from assay.domain.errors import ConflictError

_FIELDS = tuple(field.name for field in fields(Vote))


class SqlArenaStore(DatabaseStore):
    @write
    def add(self, connection: Connection, vote: Vote) -> None:
        try:
            connection.execute(insert(arena_votes), asdict(vote))
        except IntegrityError as error:
            if not is_duplicate(error):
                raise
            raise ConflictError(f"prompt {vote.prompt_id!r} has been voted on already") from error

    @read
    def votes(self, connection: Connection) -> tuple[Vote, ...]:
        columns = [arena_votes.c[name] for name in _FIELDS]
        rows = connection.execute(select(*columns).order_by(arena_votes.c.id))
        return tuple(Vote(**row) for row in rows.mappings())

    @read
    def has(self, connection: Connection, prompt_id: str) -> bool:
        found = select(arena_votes.c.id).where(arena_votes.c.prompt_id == prompt_id)
        return connection.scalar(found) is not None
