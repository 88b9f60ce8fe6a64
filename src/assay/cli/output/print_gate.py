"""What a gate decided, for people and for programs."""

from collections.abc import Sequence
from dataclasses import asdict

import typer

from assay.cli.output.write import write_note
from assay.engine.gate.decide import overall
from assay.engine.gate.reports import headline
from assay.engine.gate.rulings import Decision, RuleResult

_MARKS = {Decision.PASS: "✓", Decision.REGRESSION: "✗", Decision.INCONCLUSIVE: "?"}


def gate_document(rulings: Sequence[RuleResult]) -> dict[str, object]:
    return {"decision": overall(rulings).value, "rulings": [asdict(one) for one in rulings]}


def print_rulings(rulings: Sequence[RuleResult]) -> None:
    typer.echo(headline(rulings))
    for one in rulings:
        who = " ".join(filter(None, (one.benchmark, one.model)))
        write_note(f"{_MARKS[one.decision]} {who} {one.rule}: {one.reason}", indent="  ")
