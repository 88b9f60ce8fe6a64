"""What a run with a stopping rule settled, and what it saved."""

import typer

from assay.api.schemas.results.race import RunRace
from assay.cli.output.write import write_note
from assay.domain.run import Run
from assay.engine.results.race_report import RaceReport


def print_race(report: RaceReport) -> None:
    typer.echo("\nDecided item by item:")
    for one in report.contests:
        write_note(one.sentence, indent="  ")
    write_note(report.saving.sentence, indent="  ")


def race_member(run: Run, report: RaceReport | None) -> dict[str, object]:
    """As the API has it; nothing for a run without a stopping rule."""
    return {} if report is None else {"race": RunRace.of(run, report).model_dump(mode="json")}
