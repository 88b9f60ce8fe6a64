"""A run as it stands: how far it is, how its attempts ended, and why some failed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assay.cli.output.write import rough_duration
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation, EvaluationId, Run, State
from assay.engine.execution.control import repeated_attempts
from assay.engine.planning.catalogue import Catalogue
from assay.engine.results.masking import is_masked
from assay.engine.stores import Stores
from assay.engine.stores.attempts import ErrorKind
from assay.engine.stores.runs import StoredRun

# Progress is stored twice a second for each evaluation.
_EVENTS_READ = 500
_HIDDEN = "the message is hidden, as it may quote a gated item; show it with --reveal"


@dataclass(frozen=True, slots=True)
class RunReport:
    """`errors` has an entry for each evaluation that has attempts without a verdict."""

    stored: StoredRun
    errors: Mapping[EvaluationId, tuple[ErrorKind, ...]]
    # Stored attempts that are queued for a retry.
    repeated: int = 0
    # Recently finished attempts per second; None if nobody executes the run, or it has only begun.
    per_s: float | None = None

    @property
    def run(self) -> Run:
        return self.stored.run

    @property
    def evaluations(self) -> tuple[Evaluation, ...]:
        return self.stored.evaluations

    def outcomes(self, evaluation: Evaluation) -> Mapping[Outcome, int]:
        return self.stored.outcomes[evaluation.id]

    def error_notes(self, evaluation: Evaluation) -> list[str]:
        return [_error_note(kind) for kind in self.errors.get(evaluation.id, ())]

    @property
    def state(self) -> str:
        return "interrupted" if self.stored.is_interrupted else self.run.state.value

    def evaluation_state(self, evaluation: Evaluation) -> str:
        is_final = evaluation.state.is_final
        return "interrupted" if self.stored.is_interrupted and not is_final else evaluation.state.value

    @property
    def interruption_note(self) -> str:
        """Empty unless the process that executed the run is gone."""
        if not self.stored.is_interrupted:
            return ""
        return f"the process that executed it is gone; go on with: assay resume {self.run.id[:8]}"

    @property
    def progress_note(self) -> str:
        """How far a run is that has not ended; empty for the others."""
        run = self.run
        if run.state.is_final:
            return ""
        done = sum(map(self.stored.completed, self.evaluations)) - self.repeated
        total = sum(one.total_attempts for one in self.evaluations)
        left = ""
        if self.per_s and done < total:
            left = f", about {rough_duration((total - done) / self.per_s) or 'a minute'} left"
        return f"{done:,} of {total:,} attempts done{left}"


async def run_report(stores: Stores, run_id: str, *, reveal: bool = False) -> RunReport:
    [report] = await run_reports(stores, [await stores.runs.get_with_outcomes(run_id)], reveal=reveal)
    return report


async def run_reports(stores: Stores, found: Sequence[StoredRun], *, reveal: bool = False) -> list[RunReport]:
    """Messages about items of gated benchmarks are hidden unless they are asked for."""
    kinds = await stores.attempts.error_kinds([one.run.id for one in found])
    if kinds and not reveal:
        catalogue = Catalogue.installed()
        masked = {one.id for stored in found for one in stored.evaluations if is_masked(one, catalogue)}
        kinds = {
            evaluation_id: tuple(map(_hidden, own)) if evaluation_id in masked else own
            for evaluation_id, own in kinds.items()
        }
    reports: list[RunReport] = []
    for stored in found:
        own = {one.id: kinds[one.id] for one in stored.evaluations if one.id in kinds}
        repeated = await _repeated(stores, stored.run) if own and not stored.run.state.is_final else 0
        reports.append(RunReport(stored, own, repeated, await _rate_per_s(stores, stored)))
    return reports


async def _rate_per_s(stores: Stores, stored: StoredRun) -> float | None:
    """As the newest progress of its evaluations says: a run may have been paused since it was started."""
    if stored.run.state is not State.RUNNING or stored.is_interrupted:
        return None
    newest = await stores.events.newest_id()
    events = await stores.events.page(stored.run.id, after=max(0, newest - _EVENTS_READ), limit=_EVENTS_READ)
    rates = {(one.model, one.benchmark): one.data.get("requests_per_s") for one in events if one.data}
    ended = {(one.model, one.benchmark) for one in stored.evaluations if one.state.is_final}
    return sum(rate for name, rate in rates.items() if name not in ended and isinstance(rate, int | float))


async def _repeated(stores: Stores, run: Run) -> int:
    evaluations = await stores.runs.evaluations(run.id)
    repeated = await repeated_attempts(stores.shards, stores.attempts, run, evaluations)
    return sum(map(len, repeated.values()))


def _hidden(kind: ErrorKind) -> ErrorKind:
    return replace(kind, first_message=_HIDDEN if kind.first_message else None)


def _error_note(kind: ErrorKind) -> str:
    code = f" ({kind.code})" if kind.code else ""
    message = f", the first: {kind.first_message}" if kind.first_message else ""
    return f"{kind.count:,} {kind.outcome.value}{code}{message}"
