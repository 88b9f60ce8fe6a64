"""The shard and attempt that a log line is about, without passing them to whoever writes it."""

from contextvars import ContextVar

from assay.domain.attempt import AttemptKey
from assay.domain.shard import Shard

# Every shard and every attempt has a task of its own, and with it a context of its own.
SHARD: ContextVar[Shard | None] = ContextVar("shard", default=None)
ATTEMPT: ContextVar[AttemptKey | None] = ContextVar("attempt", default=None)


def log_context() -> dict[str, str]:
    """The ids of what this task works on; empty outside of a shard."""
    shard, attempt = SHARD.get(), ATTEMPT.get()
    if shard is None:
        return {}
    context: dict[str, str] = {
        "run_id": shard.run_id,
        "evaluation_id": shard.evaluation_id,
        "shard_id": shard.id,
    }
    return context if attempt is None else {**context, "attempt": f"{attempt.item_id}/{attempt.sample}"}
