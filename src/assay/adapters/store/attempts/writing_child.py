"""The process that writes large batches; it loads in a tenth of the time that SQLAlchemy takes."""

import gc
import pickle
import sqlite3
import sys
from typing import BinaryIO

from assay.adapters.store.attempts.encoding import Batch, BatchInserts, EncodedBatch
from assay.adapters.store.database.pragmas import BEGIN_WRITING, BUSY_TIMEOUT_S, ISOLATION_LEVEL, configure
from assay.adapters.store.search.index import add_texts

READY = b"r"
WRITTEN = b"w"
LEFT = b"l"
_NEW_OBJECTS = 200_000


def serve(path: str, orders: BinaryIO, answers: BinaryIO) -> None:
    """Write each batch that is sent, until the sender ends."""
    # Rows are in no reference cycles: the collector would traverse each batch several times in vain.
    gc.set_threshold(_NEW_OBJECTS)
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=ISOLATION_LEVEL)
    configure(connection)
    # Sent by the process that started this one.
    inserts: BatchInserts = pickle.load(orders)  # noqa: S301
    _say(answers, READY)
    while True:
        try:
            batch: Batch = pickle.load(orders)  # noqa: S301
        except EOFError:
            break
        _say(answers, WRITTEN if _is_written(connection, inserts, inserts.encoded(batch)) else LEFT)
    connection.close()


def _say(answers: BinaryIO, word: bytes) -> None:
    answers.write(word)
    answers.flush()


def _is_written(connection: sqlite3.Connection, inserts: BatchInserts, rows: EncodedBatch) -> bool:
    """Only what is new; anything else is left to the process that asked."""
    try:
        connection.execute(BEGIN_WRITING)
        is_new = (
            _are_known(connection, rows) and inserts.attempts.write(connection, rows.attempts) == rows.count
        )
        if is_new:
            inserts.calls.write(connection, rows.calls)
            inserts.blobs.write(connection, rows.blobs)
            add_texts(connection, rows.searched)
        connection.execute("COMMIT" if is_new else "ROLLBACK")
    except sqlite3.Error:
        connection.rollback()
        return False
    return is_new


def _are_known(connection: sqlite3.Connection, rows: EncodedBatch) -> bool:
    known = "SELECT 1 FROM evaluations WHERE id = ?"
    return all(connection.execute(known, (one,)).fetchone() for one in rows.evaluation_ids)


if __name__ == "__main__":
    serve(sys.argv[1], sys.stdin.buffer, sys.stdout.buffer)
