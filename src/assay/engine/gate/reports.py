"""A gate's rulings for machines (JUnit XML) and for people (Markdown)."""

from collections.abc import Sequence
from xml.etree import ElementTree as Xml

from assay.engine.gate.decide import Decision, Ruling, overall

_MARKS = {Decision.PASS: "✅", Decision.REGRESSION: "❌", Decision.INCONCLUSIVE: "❔"}
_WORDS = {
    Decision.PASS: "no regression",
    Decision.REGRESSION: "regression",
    Decision.INCONCLUSIVE: "not enough evidence",
}


def headline(rulings: Sequence[Ruling]) -> str:
    counts = {decision: sum(one.decision is decision for one in rulings) for decision in Decision}
    told = ", ".join(f"{count} {_WORDS[decision]}" for decision, count in counts.items() if count)
    return f"{overall(rulings).value.upper()}: {told or 'nothing to judge'}"


def junit_xml(rulings: Sequence[Ruling], *, run_id: str) -> bytes:
    """One test case per rule; what is inconclusive is an error, which fails a build as a regression does."""
    counts = {
        "tests": len(rulings),
        "failures": sum(one.decision is Decision.REGRESSION for one in rulings),
        "errors": sum(one.decision is Decision.INCONCLUSIVE for one in rulings),
    }
    totals = {name: str(count) for name, count in counts.items()}
    suites = Xml.Element("testsuites", totals)
    suite = Xml.SubElement(suites, "testsuite", {"name": f"assay gate {run_id}", **totals})
    for one in rulings:
        name = f"{one.rule} {one.model}".strip()
        case = Xml.SubElement(suite, "testcase", {"classname": one.benchmark, "name": name})
        if one.decision is Decision.PASS:
            Xml.SubElement(case, "system-out").text = _printable(one.reason)
        else:
            kind = "failure" if one.decision is Decision.REGRESSION else "error"
            attributes = {"message": _printable(one.reason), "type": one.decision.value}
            Xml.SubElement(case, kind, attributes)
    Xml.indent(suites)
    return Xml.tostring(suites, encoding="utf-8", xml_declaration=True) + b"\n"


def markdown(rulings: Sequence[Ruling], *, run_id: str, baseline: str) -> str:
    lines = [
        f"## {_MARKS[overall(rulings)]} Assay gate: {headline(rulings)}",
        "",
        f"Run `{run_id}` against baseline `{baseline}`.",
        "",
        "| | benchmark | model | rule | why |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {_MARKS[one.decision]} | {_cell(one.benchmark)} | {_cell(one.model)} | `{one.rule}` |"
        f" {_cell(one.reason)} |"
        for one in rulings
    ]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def _printable(text: str) -> str:
    """XML has no form for most control characters."""
    return "".join(char for char in text if char.isprintable() or char in "\n\t")
