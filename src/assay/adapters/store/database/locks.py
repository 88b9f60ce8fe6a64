"""Locks that a whole installation shares, held to the end of the transaction."""

from enum import IntEnum

from sqlalchemy import Connection, func, select


class Lock(IntEnum):
    """Keys of Postgres advisory locks: arbitrary numbers, the same in every process."""

    SCHEMA = 0x4153_5341_5900
    EVENTS = 0x4153_5341_5901
    DATASETS = 0x4153_5341_5902
    ACTIVE_RUNS = 0x4153_5341_5903
    MODELS = 0x4153_5341_5904
    CONNECTIONS = 0x4153_5341_5905


def hold(connection: Connection, lock: Lock) -> None:
    """Does nothing on SQLite: a transaction that writes holds the only write lock."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(lock.value)))
