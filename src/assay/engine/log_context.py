"""Which part of the work a log line is about, without handing it down to whoever writes the line."""

from contextvars import ContextVar

from assay.domain.attempt import AttemptKey
from assay.domain.shard import Shard

# Every shard and every attempt has a task of its own, and with it a context of its own.
SHARD: ContextVar[Shard | None] = ContextVar("shard", default=None)
ATTEMPT: ContextVar[AttemptKey | None] = ContextVar("attempt", default=None)


def log_place() -> dict[str, str]:
    """The ids of what this task is at work on; empty outside of any shard."""
    shard, attempt = SHARD.get(), ATTEMPT.get()
    if shard is None:
        return {}
    place: dict[str, str] = {
        "run_id": shard.run_id,
        "evaluation_id": shard.evaluation_id,
        "shard_id": shard.id,
    }
    return place if attempt is None else {**place, "attempt": f"{attempt.item_id}/{attempt.sample}"}
