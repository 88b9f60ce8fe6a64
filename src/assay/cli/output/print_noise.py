"""A model's scores against its own, for people."""

from collections.abc import Sequence

import typer

from assay.cli.output.write import write_note, write_table
from assay.domain.run import Run
from assay.domain.stats import plural, points
from assay.engine.results.noise import ItemNoise, NoiseReport

_SHOWN_ITEMS = 10


def print_noise(run: Run, reports: Sequence[NoiseReport]) -> None:
    for one in reports:
        _print_report(one)
    if not run.state.is_final:
        write_note(f"The run {run.state.clause}: what it has not asked yet is missing.")
    write_note(f"run {run.id[:8]}; show this again with: assay noise --run {run.id[:8]}")


def _print_report(report: NoiseReport) -> None:
    evaluation = report.evaluation
    asked = f"{evaluation.model} on {evaluation.benchmark}, asked {evaluation.samples} times"
    if report.noise is None:
        write_note(f"{asked}: no item has two verdicts, so nothing is known of its noise.")
        return
    noise = report.noise
    write_note(
        f"{asked}: {100 * noise.flip_rate:.1f} % of {plural(noise.items, 'item')} did not always get the same"
        f" score. By chance, two passes over them differ by up to {points(noise.noise_floor)} points in 95 %"
        " of cases; a smaller difference between two runs says nothing."
    )
    scores = [_score(one.score) for one in report.passes]
    write_note(f"Score of each pass: {', '.join(scores)}", indent="  ")
    if report.missing:
        write_note(f"{plural(report.missing, 'attempt')} without a verdict", indent="  ")
    shown = report.items[:_SHOWN_ITEMS]
    if shown:
        write_table(("LEAST STEADY ITEMS", "SCORES"), [(one.item_id, _scores(one)) for one in shown])
    typer.echo("")


def _score(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


def _scores(item: ItemNoise) -> str:
    return " ".join("-" if score is None else f"{score:.3g}" for score in item.scores)
