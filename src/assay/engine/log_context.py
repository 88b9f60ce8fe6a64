"""The run, shard and attempt that a log line is about, without passing them to whoever writes it."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from assay.domain.attempt import AttemptKey
from assay.domain.shard import Shard

# Every shard and every attempt has a task of its own, and with it a context of its own.
SHARD: ContextVar[Shard | None] = ContextVar("shard", default=None)
ATTEMPT: ContextVar[AttemptKey | None] = ContextVar("attempt", default=None)
# What is done with a run as a whole: a request for it, its webhooks.
RUN: ContextVar[str | None] = ContextVar("run", default=None)


@contextmanager
def about_run(run_id: str) -> Generator[None]:
    token = RUN.set(run_id)
    try:
        yield
    finally:
        RUN.reset(token)


def log_context() -> dict[str, str]:
    """The ids of what this task works on; empty where that is no run."""
    shard, attempt, run_id = SHARD.get(), ATTEMPT.get(), RUN.get()
    if shard is None:
        return {} if run_id is None else {"run_id": run_id}
    context: dict[str, str] = {
        "run_id": shard.run_id,
        "evaluation_id": shard.evaluation_id,
        "shard_id": shard.id,
    }
    return context if attempt is None else {**context, "attempt": f"{attempt.item_id}/{attempt.sample}"}
