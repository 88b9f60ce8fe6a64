"""Asks a reference and candidates the same, or takes a stored run, and judges it."""

from dataclasses import dataclass
from pathlib import Path

from assay.bootstrap import opened_engine
from assay.cli.actions.run_once import execute_here
from assay.cli.event_loop import run_async, run_until_stopped
from assay.cli.output.print_fidelity import fidelity_document, print_fidelity
from assay.cli.output.sandbox_notes import check_sandbox
from assay.cli.output.write import require_writable, write_file, write_json
from assay.domain.run import Description, RunSpec
from assay.domain.stats import EquivalenceRule, EquivalenceVerdict
from assay.engine.execution.create import create_run
from assay.engine.fidelity.report import FidelityReport, fidelity_report
from assay.engine.fidelity.wording import markdown
from assay.installation import opened_stores
from assay.settings import load_settings

_EXIT = {
    None: 0,
    EquivalenceVerdict.EQUIVALENT: 0,
    EquivalenceVerdict.WORSE: 1,
    EquivalenceVerdict.BETTER: 1,
    EquivalenceVerdict.INCONCLUSIVE: 2,
}


@dataclass(frozen=True, slots=True)
class Wanted:
    rule: EquivalenceRule
    markdown: Path | None
    as_json: bool


def run_and_judge(spec: RunSpec, description: Description, wanted: Wanted) -> int:
    """The exit code."""
    settings = load_settings()
    _check_output(wanted)

    async def work() -> int:
        async with opened_engine(settings) as engine:
            resolved = await engine.planner.resolved(spec)
            await check_sandbox(engine, resolved)
            run = await create_run(engine, resolved, description=description)
            run = await execute_here(engine, settings, run, quiet=wanted.as_json)
            return _reported(await fidelity_report(engine.stores, run, rule=wanted.rule), wanted)

    return run_until_stopped(work())


def judge_stored(run_id: str, reference: str | None, wanted: Wanted) -> int:
    """The exit code."""
    _check_output(wanted)

    async def work() -> int:
        async with opened_stores(load_settings()) as stores:
            run = await stores.runs.get(run_id)
            report = await fidelity_report(stores, run, reference=reference, rule=wanted.rule)
            return _reported(report, wanted)

    return run_async(work())


def _check_output(wanted: Wanted) -> None:
    if wanted.markdown is not None:
        require_writable(wanted.markdown)


def _reported(report: FidelityReport, wanted: Wanted) -> int:
    if wanted.markdown is not None:
        write_file(wanted.markdown, markdown(report).encode("utf-8", "replace"))
    if wanted.as_json:
        write_json(fidelity_document(report))
    else:
        print_fidelity(report)
    return _EXIT[report.verdict]
