"""Grades a stored run again and prints both gradings side by side."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import typer

from assay.bootstrap import opened_engine
from assay.cli.event_loop import run_async
from assay.cli.output.documents import evaluation_document, summary_document
from assay.cli.output.print_run import judge_notes
from assay.cli.output.progress import count_progress
from assay.cli.output.write import percent, score_text, write_json, write_note
from assay.domain.errors import UnknownNameError
from assay.domain.judging import Judging
from assay.domain.review import Regrade
from assay.domain.run import Evaluation, Run
from assay.domain.stats import Agreement
from assay.engine.execution.engine import Engine
from assay.engine.reviews.review import Changes
from assay.settings import load_settings

_LISTED = 20


@dataclass(frozen=True, slots=True)
class Chosen:
    """A run, or part of it."""

    run_id: str
    benchmark: str | None
    model: str | None

    async def evaluations(self, engine: Engine) -> tuple[Run, Sequence[Evaluation]]:
        run = await engine.stores.runs.get(self.run_id)
        found = [
            one
            for one in await engine.stores.runs.evaluations(run.id)
            if self.benchmark in (None, one.benchmark) and self.model in (None, one.model)
        ]
        if not found:
            raise UnknownNameError(
                "evaluation in this run",
                " on ".join(filter(None, (self.model, self.benchmark))),
                remedy=f"`assay show {run.id[:8]}` lists them",
            )
        return run, found


@dataclass(frozen=True, slots=True)
class _Scored:
    evaluation: Evaluation
    regrade: Regrade
    changes: Changes
    human: Agreement | None
    human_before: Agreement | None


def score_run(chosen: Chosen, *, judging: Judging | None, as_json: bool) -> None:
    async def work() -> list[_Scored]:
        async with opened_engine(load_settings()) as engine:
            run, evaluations = await chosen.evaluations(engine)
            return [await _scored(engine, run, one, judging, as_json=as_json) for one in evaluations]

    scored = run_async(work())
    if as_json:
        write_json({"judgements": [_document(one) for one in scored]})
        return
    for one in scored:
        _print(one)


async def _scored(
    engine: Engine, run: Run, evaluation: Evaluation, judging: Judging | None, *, as_json: bool
) -> _Scored:
    name = f"{evaluation.model} on {evaluation.benchmark}"
    with count_progress(name, evaluation.total_attempts, quiet=as_json) as observe:
        regrade = await engine.regrader.regrade(run, evaluation, judging=judging, observe=observe)
    comparison = engine.grading_comparison
    return _Scored(
        evaluation,
        regrade,
        changes=await comparison.changes(regrade),
        human=await comparison.human_agreement(evaluation, regrade),
        human_before=await comparison.human_agreement(evaluation),
    )


def _document(one: _Scored) -> dict[str, object]:
    changes = asdict(one.changes)
    changes["changed"] = [
        {
            "item_id": change.key.item_id,
            "sample": change.key.sample,
            "before": {"outcome": change.before.value, "score": change.score_before},
            "after": {"outcome": change.after.value, "score": change.score_after},
        }
        for change in one.changes.changed
    ]
    return {
        "judgement_id": one.regrade.id,
        "grader": one.regrade.grader,
        "judge": one.regrade.judge,
        "before": evaluation_document(one.evaluation),
        "after": summary_document(one.regrade.summary, total=one.evaluation.total_attempts),
        "changes": changes,
        "labels": {
            "before": one.human_before and asdict(one.human_before),
            "after": one.human and asdict(one.human),
        },
    }


def _print(one: _Scored) -> None:
    before, after = one.evaluation.summary, one.regrade.summary
    changes = one.changes
    typer.echo(f"\n{one.evaluation.model} on {one.evaluation.benchmark}")
    first = f"{one.evaluation.fingerprint.grader}{_by(one.evaluation.fingerprint.judge)}"
    if before is not None:
        typer.echo(
            f"  before: {score_text(before.score)}, scored {before.scored:,} of {before.total:,} ({first})"
        )
    if after is not None:
        second = f"{one.regrade.grader}{_by(one.regrade.judge)}"
        typer.echo(
            f"  after:  {score_text(after.score)}, scored {after.scored:,} of {after.total:,} ({second})"
        )
        for note in judge_notes(after, one.regrade.judge):
            write_note(note, indent="  ")
    typer.echo(
        f"  {len(changes.changed):,} of {changes.attempts:,} verdicts changed: {changes.raised:,} up,"
        f" {changes.lowered:,} down, {changes.gained:,} gained, {changes.lost:,} lost"
    )
    if changes.agreement is not None:
        typer.echo(f"  the two gradings agree: {agreement_text(changes.agreement)}")
    if one.human_before is not None and one.human is not None:
        typer.echo(f"  with people's annotations before: {agreement_text(one.human_before)}")
        typer.echo(f"  with people's annotations after:  {agreement_text(one.human)}")
    for change in changes.changed[:_LISTED]:
        sample = f", sample {change.key.sample}" if one.evaluation.samples > 1 else ""
        changed = f"{change.key.item_id}{sample}: {change.before.value} → {change.after.value}"
        write_note(changed, indent="    ")
    if len(changes.changed) > _LISTED:
        typer.echo(f"    … and {len(changes.changed) - _LISTED:,} more; --json lists all")


def _by(judge: str | None) -> str:
    return f", judge {judge}" if judge else ""


def agreement_text(agreement: Agreement) -> str:
    kappa = "undefined" if agreement.kappa is None else f"{agreement.kappa:.2f}"
    return (
        f"{percent(agreement.observed)} of {agreement.n:,}, Cohen's kappa {kappa}"
        f" (base rate {percent(agreement.base_rate)})"
    )
