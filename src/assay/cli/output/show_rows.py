"""Rows of `assay list`."""

from collections.abc import Iterable, Sequence

from assay.cli.output.write import age_text, score_text
from assay.domain.errors import UnknownNameError
from assay.domain.run import Evaluation, Run, State


def state_named(name: str | None) -> State | None:
    if name is None:
        return None
    try:
        return State(name)
    except ValueError as error:
        raise UnknownNameError("state", name, remedy=f"there are {', '.join(State)}") from error


def list_rows(known: Iterable[tuple[Run, Sequence[Evaluation]]]) -> list[tuple[str, ...]]:
    """One row per evaluation; the run's own columns stand in its first row only."""
    rows: list[tuple[str, ...]] = []
    for run, evaluations in known:
        lead = (run.id[:8], run.state.value, age_text(run.created_at))
        for number, one in enumerate(evaluations):
            rows.append((*(lead if number == 0 else ("", "", "")), *_evaluation_row(run, one)))
    return rows


def _evaluation_row(run: Run, one: Evaluation) -> tuple[str, ...]:
    summary = one.summary
    mark = " (demo)" if run.spec.data == "demo" else ""
    return (
        one.model,
        one.benchmark + mark,
        score_text(summary.score) if summary else one.state.value,
        f"{summary.scored if summary else 0:,} of {one.total_attempts:,}",
    )
