"""Answers of earlier evaluations to the same request."""

from hashlib import sha256
from typing import Any

from sqlalchemy import Select, bindparam, column, table

from assay.adapters.store.attempts.filters import names
from assay.adapters.store.attempts.rows import WITH_TEXTS
from assay.adapters.store.attempts.tables import attempts
from assay.adapters.store.evaluations import evaluations
from assay.domain.attempt import AttemptKey
from assay.domain.outcome import FINAL, Outcome
from assay.domain.run import EvaluationId

# The provider's signal of a refusal is not stored with the answer.
_TAKEN = FINAL - {Outcome.REFUSED}
# Request headers are in no other column; runs that set some reuse nothing.
_HAS_HEADERS = '"headers":"'
# The package of runs imports this one.
_RUNS = table("runs", column("id"), column("owner"))
_SAME = ("model", "endpoint", "benchmark", "benchmark_version", "generation")


def _statement() -> Select[*tuple[Any, ...]]:
    """An answer that was itself reused took no calls."""
    asking = evaluations.alias()
    own, others = _RUNS.alias(), _RUNS.alias()
    return (
        WITH_TEXTS.join_from(asking, own, own.c.id == asking.c.run_id)
        .join(evaluations, evaluations.c.id != asking.c.id)
        .join(others, others.c.id == evaluations.c.run_id)
        .join(attempts, attempts.c.evaluation_id == evaluations.c.id)
        .where(
            asking.c.id == bindparam("evaluation_id"),
            *(evaluations.c[name] == asking.c[name] for name in _SAME),
            others.c.owner.is_not_distinct_from(own.c.owner),
            attempts.c.item_id == bindparam("item_id"),
            attempts.c.sample == bindparam("sample"),
            attempts.c.prompt_sha256 == bindparam("prompt_sha256"),
            attempts.c.item_hash == bindparam("item_hash"),
            attempts.c.outcome.in_(names(_TAKEN)),
            attempts.c.tries > 0,
            ~evaluations.c.fingerprint_fields.contains(_HAS_HEADERS),
        )
        .order_by(attempts.c.finished_at.desc())
        .limit(1)
    )


ANSWERED_BEFORE = _statement()
"""Takes the parameters that `request_values` gives."""


def request_values(
    evaluation_id: EvaluationId, key: AttemptKey, *, prompt: str, item_hash: str | None
) -> dict[str, object]:
    return {
        "evaluation_id": evaluation_id,
        "item_id": key.item_id,
        "sample": key.sample,
        "prompt_sha256": sha256(prompt.encode("utf-8", "surrogatepass")).digest(),
        "item_hash": item_hash,
    }
