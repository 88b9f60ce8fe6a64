"""The results of a gate as JUnit XML for machines and as Markdown for people."""

from collections.abc import Sequence
from xml.etree import ElementTree as Xml

from assay.domain.access.secret import printable
from assay.domain.stats import plural
from assay.engine.gate.decide import overall
from assay.engine.gate.rulings import Decision, RuleResult

_MARKS = {Decision.PASS: "✅", Decision.REGRESSION: "❌", Decision.INCONCLUSIVE: "❔"}


def headline(results: Sequence[RuleResult]) -> str:
    """For example "REGRESSION: 2 of 4 benchmarks regressed"."""
    decision = overall(results)
    return f"{decision.value.upper()}: {_counts(results, decision)}"


def _counts(results: Sequence[RuleResult], decision: Decision) -> str:
    if not results:
        return "nothing to compare"
    regressed, inconclusive = (
        {one.benchmark for one in results if one.decision is kind}
        for kind in (Decision.REGRESSION, Decision.INCONCLUSIVE)
    )
    inconclusive -= regressed
    total = len({one.benchmark for one in results})
    benchmarks = plural(total, "benchmark")
    if decision is Decision.PASS:
        return f"no regression in {benchmarks}"
    if decision is Decision.INCONCLUSIVE:
        return f"not enough evidence for {len(inconclusive)} of {benchmarks}"
    text = f"{len(regressed)} of {benchmarks} regressed"
    return f"{text}, not enough evidence for {len(inconclusive)}" if inconclusive else text


def junit_xml(results: Sequence[RuleResult], *, run_id: str) -> bytes:
    """One test case per rule; an inconclusive result is an error, which fails a build like a regression."""
    counts = {
        "tests": len(results),
        "failures": sum(one.decision is Decision.REGRESSION for one in results),
        "errors": sum(one.decision is Decision.INCONCLUSIVE for one in results),
    }
    totals = {name: str(count) for name, count in counts.items()}
    suites = Xml.Element("testsuites", totals)
    suite = Xml.SubElement(suites, "testsuite", {"name": f"assay gate {run_id}", **totals})
    for one in results:
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


def markdown(results: Sequence[RuleResult], *, run_id: str, baseline: str) -> str:
    lines = [
        f"## {_MARKS[overall(results)]} Assay gate: {headline(results)}",
        "",
        f"Run `{run_id}` against baseline `{baseline}`.",
        "",
        "| | benchmark | model | rule | why |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {_MARKS[one.decision]} | {markdown_cell(one.benchmark)} | {markdown_cell(one.model)}"
        f" | `{one.rule}` | {markdown_cell(one.reason)} |"
        for one in results
    ]
    return "\n".join(lines) + "\n"


def markdown_cell(text: str) -> str:
    """Text from anywhere as the cell of a table, on one line."""
    return printable(text).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def _printable(text: str) -> str:
    """Without control characters, most of which XML cannot represent."""
    return "".join(char for char in text if char.isprintable() or char in "\n\t")
