"""The results of a suite: one table of models and benchmarks, and what the gate decided."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import typer

from assay.cli.output.documents import evaluation_document
from assay.cli.output.print_gate import gate_document, print_rulings
from assay.cli.output.print_run import print_comparison
from assay.cli.output.write import interval_texts, percent, write_json, write_note, write_table
from assay.domain.run import Evaluation, State
from assay.domain.stats import plural
from assay.engine.gate.decide import RuleResult
from assay.engine.results.compare import Comparison
from assay.engine.suites.matrix import Cell, Place, Stored

_TAKEN = "*"


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """`taken` was stored before, `new` was asked now."""

    name: str
    cells: tuple[Cell, ...]
    taken: Mapping[Place, Evaluation]
    new: Mapping[Place, Evaluation]

    @property
    def by_place(self) -> dict[Place, Evaluation]:
        """In the order of the suite."""
        known = {**self.taken, **self.new}
        return {one.place: known[one.place] for one in self.cells if one.place in known}

    @property
    def evaluations(self) -> list[Evaluation]:
        return list(self.by_place.values())

    @property
    def is_complete(self) -> bool:
        found = self.by_place
        return len(found) == len(self.cells) and all(one.state is State.SUCCEEDED for one in found.values())


def print_result(
    result: SuiteResult, comparisons: Sequence[Comparison], rulings: Sequence[RuleResult] | None
) -> None:
    typer.echo(f"suite {result.name}")
    benchmarks = list(dict.fromkeys(one.benchmark.name for one in result.cells))
    labels = list(dict.fromkeys(one.model.label for one in result.cells))
    rows = [(label, *(_cell(result, (label, name)) for name in benchmarks)) for label in labels]
    write_table(("MODEL", *benchmarks), rows)
    if result.taken:
        write_note(f"{_TAKEN} stored before, and not asked again")
    for one in result.by_place.values():
        if one.state is not State.SUCCEEDED:
            write_note(f"{one.model} on {one.benchmark}: {one.error or one.state.value}")
        elif one.summary is not None:
            for warning in one.summary.warnings:
                write_note(f"{one.model} on {one.benchmark}: warning: {warning.message}")
    runs = dict.fromkeys(one.run_id for one in result.new.values())
    if runs:
        write_note(f"{plural(len(runs), 'run')} made now: {', '.join(one[:8] for one in runs)}")
    print_comparison(comparisons)
    if rulings is not None:
        typer.echo("")
        print_rulings(rulings)


def _cell(result: SuiteResult, place: Place) -> str:
    evaluation = result.by_place.get(place)
    if evaluation is None:
        return "not asked"
    summary = evaluation.summary
    if evaluation.state is not State.SUCCEEDED or summary is None:
        return evaluation.state.value
    if summary.score is None:
        return "none"
    mark = _TAKEN if place in result.taken else ""
    return " ".join(filter(None, (percent(summary.score.value) + mark, interval_texts(summary.score)[0])))


def print_plan(cells: Sequence[Cell], found: Stored, *, as_json: bool) -> None:
    """What each cell would take."""
    if as_json:
        write_json({"cells": [_planned_document(one, found) for one in cells]})
        return
    rows = [
        (
            one.model.label,
            one.benchmark.name,
            f"{one.attempts:,}",
            f"stored in {taken.run_id[:8]}" if (taken := found.taken.get(one.place)) else "asked",
        )
        for one in cells
    ]
    write_table(("MODEL", "BENCHMARK", "ATTEMPTS", "RESULT"), rows)
    for run in found.unfinished:
        write_note(f"run {run.id[:8]} of this suite is {run.state.value}: it would go on")
    typer.echo("")


def _planned_document(cell: Cell, found: Stored) -> dict[str, object]:
    taken = found.taken.get(cell.place)
    return {
        "name": cell.model.label,
        "model": cell.model.model,
        "benchmark": cell.benchmark.name,
        "attempts": cell.attempts,
        "fingerprint": cell.key[2],
        "run_id": None if taken is None else taken.run_id,
    }


def suite_document(result: SuiteResult, rulings: Sequence[RuleResult] | None) -> dict[str, object]:
    return {
        "suite": result.name,
        "is_complete": result.is_complete,
        "results": [
            {
                "name": label,
                "run_id": one.run_id,
                "is_taken": (label, name) in result.taken,
                **evaluation_document(one),
            }
            for (label, name), one in result.by_place.items()
        ],
        "gate": None if rulings is None else gate_document(rulings),
    }
