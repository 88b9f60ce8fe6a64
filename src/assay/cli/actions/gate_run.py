"""Reads both sides of a gate, decides, and writes what was decided."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.adapters.signing.ed25519 import is_signed_by
from assay.cli.actions.trust import trust_of
from assay.cli.event_loop import run_async
from assay.cli.output.print_gate import gate_document, print_rulings
from assay.cli.output.write import write_file, write_json
from assay.domain.datasets.dataset import is_dataset
from assay.domain.errors import InvalidValueError
from assay.engine.exports.content import run_content
from assay.engine.exports.verification.checks import Check
from assay.engine.exports.verification.verify import Verifier
from assay.engine.gate.decide import decide, overall
from assay.engine.gate.evaluations import GateEvaluation, exported_evaluations, paired, stored_evaluations
from assay.engine.gate.policy import Policy, read_policy
from assay.engine.gate.reports import junit_xml, markdown
from assay.engine.gate.rulings import Decision
from assay.engine.planning.catalogue import Catalogue
from assay.engine.stores import Stores
from assay.installation import opened_stores
from assay.settings import load_settings

GATE_EXIT = {Decision.PASS: 0, Decision.REGRESSION: 1, Decision.INCONCLUSIVE: 2}


@dataclass(frozen=True, slots=True)
class Wanted:
    run: str
    baseline: str | None
    threshold: float | None
    policy: Path | None
    keys: tuple[str, ...]
    junit: Path | None
    markdown: Path | None
    as_json: bool


def gate_run(wanted: Wanted) -> int:
    """The exit code."""
    policy = _policy(wanted)
    ours, theirs = run_async(_sides(wanted))
    _require_known_names(policy, ours, theirs)
    rulings = decide(ours, theirs, paired(ours, theirs), policy)
    if wanted.junit is not None:
        write_file(wanted.junit, junit_xml(rulings, run_id=wanted.run))
    if wanted.markdown is not None:
        text = markdown(rulings, run_id=wanted.run, baseline=wanted.baseline or "none")
        write_file(wanted.markdown, text.encode())
    if wanted.as_json:
        write_json(gate_document(rulings))
    else:
        print_rulings(rulings)
    return GATE_EXIT[overall(rulings)]


def _policy(wanted: Wanted) -> Policy:
    if wanted.baseline is None and wanted.threshold is None and wanted.policy is None:
        raise InvalidValueError("nothing to hold the run against: give --baseline, --threshold or --policy")
    policy = read_policy(wanted.policy) if wanted.policy else Policy()
    return policy if wanted.threshold is None else policy.with_threshold(wanted.threshold)


def _require_known_names(policy: Policy, *sides: Sequence[GateEvaluation]) -> None:
    """A misspelt name would switch the rules for its benchmark off."""
    held, installed = {one.benchmark for side in sides for one in side}, Catalogue.installed()
    for name in (*policy.benchmarks, *policy.required):
        if name not in held and not is_dataset(name):
            installed.get(name)


async def _sides(wanted: Wanted) -> tuple[list[GateEvaluation], list[GateEvaluation]]:
    settings, catalogue = load_settings(), Catalogue.installed()
    verifier = Verifier(is_signed_by, trust_of(settings, wanted.keys), catalogue)
    async with opened_stores(settings) as stores:
        ours, theirs = [
            await side(stores, catalogue, name, verifier) for name in (wanted.run, wanted.baseline)
        ]
    return ours, theirs


async def side(
    stores: Stores, catalogue: Catalogue, name: str | None, verifier: Verifier
) -> list[GateEvaluation]:
    """The evaluations of a run, or of a signed export that bears the name of a file."""
    if name is None:
        return []
    if (path := Path(name)).is_file():
        return await _of_file(path, verifier)
    return await stored_evaluations(await run_content(stores, catalogue, name, reveal=False))


async def _of_file(path: Path, verifier: Verifier) -> list[GateEvaluation]:
    with path.open("rb") as file:  # nothing else runs on this loop
        report = await verifier.verify(file)
        if report.is_refuted or not report.is_passed(Check.ARCHIVE):
            raise InvalidValueError(f"{str(path)!r} is no export that can be believed: {report.errors[0]}")
        return exported_evaluations(file)
