"""Holds the results of a suite against its gate, over all its runs."""

from dataclasses import replace

from assay.adapters.signing.ed25519 import is_signed_by
from assay.cli.actions.gate_run import side
from assay.cli.actions.trust import trust_of
from assay.cli.output.print_suite import SuiteResult
from assay.engine.execution.engine import Engine
from assay.engine.exports.content import run_content
from assay.engine.exports.verification.verify import Verifier
from assay.engine.gate.decide import decide
from assay.engine.gate.evaluations import GateEvaluation, paired, stored_evaluations
from assay.engine.gate.rulings import RuleResult
from assay.engine.suites.matrix import Place
from assay.engine.suites.suite import Gate
from assay.settings import Settings


async def suite_rulings(
    engine: Engine, settings: Settings, gate: Gate, result: SuiteResult
) -> list[RuleResult]:
    """Models bear their labels; with a baseline they are paired by their names."""
    catalogue = engine.planner.catalogue
    verifier = Verifier(is_signed_by, trust_of(settings, gate.keys), catalogue)
    baseline = await side(engine.stores, catalogue, gate.baseline, verifier)
    own = await _gate_evaluations(engine, result)
    labelled = {id(one): replace(one, model=label) for (label, _name), one in own.items()}
    pairs = [(labelled[id(one)], other) for one, other in paired(list(own.values()), baseline)]
    return decide(list(labelled.values()), baseline, pairs, gate.policy)


async def _gate_evaluations(engine: Engine, result: SuiteResult) -> dict[Place, GateEvaluation]:
    found: dict[str, GateEvaluation] = {}
    for run_id in dict.fromkeys(one.run_id for one in result.evaluations):
        content = await run_content(engine.stores, engine.planner.catalogue, run_id, reveal=False)
        read = await stored_evaluations(content)
        found |= {one.evaluation.id: own for one, own in zip(content.evaluations, read, strict=True)}
    # A copy for each place: two may have the same evaluation.
    return {place: replace(found[one.id]) for place, one in result.by_place.items()}
