"""A fidelity report for people and for programs."""

import typer

from assay.api.schemas.results.fidelity import Fidelity
from assay.cli.output.write import write_note, write_table
from assay.domain.stats import EquivalenceVerdict
from assay.engine.fidelity.report import FidelityReport
from assay.engine.fidelity.wording import candidate_sentence, headline, notes, rows

_MARKS = {
    EquivalenceVerdict.EQUIVALENT: "✓",
    EquivalenceVerdict.WORSE: "✗",
    EquivalenceVerdict.BETTER: "✗",
    EquivalenceVerdict.INCONCLUSIVE: "?",
}


def fidelity_document(report: FidelityReport) -> dict[str, object]:
    """The same as `GET /api/runs/{run_id}/fidelity`."""
    return Fidelity.of(report).model_dump(mode="json")


def print_fidelity(report: FidelityReport) -> None:
    typer.echo(headline(report))
    for one in report.candidates:
        write_note(f"{_MARKS[one.result.verdict]} {candidate_sentence(report, one)}", indent="  ")
    typer.echo("")
    models = [report.reference, *(one.facts for one in report.candidates)]
    names = [one.model for one in models]
    table = [(name, *(value(one) for one in models)) for name, value in rows(report)]
    write_table(("", *names), table, folded=names)
    typer.echo("")
    for note in notes(report):
        write_note(note)
    again = f"assay fidelity --run {report.run_id[:8]}"
    write_note(f"run {report.run_id[:8]}; judge it again, with another margin, with: {again}")
