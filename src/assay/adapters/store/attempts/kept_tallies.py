"""What is counted and summed over the attempts of a run, kept when they are offloaded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter
from sqlalchemy import Boolean, Column, Connection, ForeignKey, Table, Text, select

from assay.adapters.store.database.columns import Key
from assay.adapters.store.database.metadata import metadata
from assay.domain.outcome import Outcome
from assay.domain.run import EvaluationId, RunId
from assay.domain.summary import Tokens
from assay.engine.stores.attempts import ErrorKind, Spent
from assay.engine.stores.latencies import Latencies

offloaded_runs = Table(
    "offloaded_runs",
    metadata,
    Column("run_id", Key, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    # What is counted and summed over the attempts of runs.
    Column("tally", Text, nullable=False),
    # Whether attempts may be left in the database: the process that deleted them may have been killed.
    Column("has_rows", Boolean, nullable=False),
)


@dataclass(frozen=True, slots=True)
class Tally:
    """What the methods of the stores with the same names say of the run."""

    outcome_counts: Mapping[EvaluationId, Mapping[Outcome, int]]
    error_kinds: Mapping[EvaluationId, tuple[ErrorKind, ...]]
    tokens_used: Mapping[EvaluationId, Tokens]
    latencies: Mapping[str, Latencies]
    spent: Spent


_FORM = TypeAdapter(Tally)
_TALLIES = select(offloaded_runs.c.run_id, offloaded_runs.c.tally)


def tally_text(tally: Tally) -> str:
    return _FORM.dump_json(tally).decode()


def tallies(connection: Connection, run_ids: Sequence[RunId]) -> dict[RunId, Tally]:
    """Those of the runs that are offloaded."""
    rows = connection.execute(_TALLIES.where(offloaded_runs.c.run_id.in_(run_ids)))
    return {run_id: _FORM.validate_json(text) for run_id, text in rows}
