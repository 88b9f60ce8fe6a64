"""A gate on a run that its own scores have stopped."""

import io
from typing import Any

import pytest

from assay.domain.run import RunSpec
from assay.domain.stopping import StopRule
from assay.engine.execution.create import create_run
from assay.engine.execution.run_loop import execute_run
from assay.engine.exports.content import run_content
from assay.engine.gate.decide import decide
from assay.engine.gate.evaluations import GateEvaluation, exported_evaluations, paired, stored_evaluations
from assay.engine.gate.policy import Policy, Rules
from assay.engine.gate.rulings import Decision
from tests.exports import exported
from tests.unit.engine.execution.test_stopping import SIZE, Field, skilled

BASE, SAME, WORSE = "m/base", "m/same", "m/worse"
MODELS = Field({BASE: skilled("abc"), SAME: skilled("abd"), WORSE: skilled("abcdefghijklmnop")})


async def evaluated(engine: Any, model: str, **changes: Any) -> tuple[list[GateEvaluation], bytes]:
    run = await create_run(engine, RunSpec((model,), ("letters",), data="demo", **changes))
    run = await execute_run(engine, run.id)
    content = await run_content(engine.stores, engine.planner.catalogue, run.id, reveal=False)
    return await stored_evaluations(content), await exported(content)


@pytest.mark.parametrize(("model", "decision"), [(SAME, Decision.PASS), (WORSE, Decision.REGRESSION)])
async def test_a_run_that_stopped_at_a_bar_is_held_against_it_and_a_baseline(
    model: str, decision: Decision
) -> None:
    engine = MODELS.engine()
    base, _ = await evaluated(engine, BASE)
    ours, bundle = await evaluated(engine, model, stop=StopRule(bar=0.6, alpha=0.01))
    assert 0 < len(ours[0].first) < SIZE
    assert exported_evaluations(io.BytesIO(bundle)) == ours
    policy = Policy(Rules(max_drop=0.2, threshold=0.6))
    rulings = {one.rule: one for one in decide(ours, base, paired(ours, base), policy)}
    assert rulings["threshold"].decision is decision
    assert rulings["max_drop"].decision is decision, rulings["max_drop"].reason
    assert f"after {len(ours[0].first)} items the difference" in rulings["max_drop"].reason


async def test_a_threshold_within_the_interval_is_inconclusive() -> None:
    ours, _ = await evaluated(MODELS.engine(), SAME, stop=StopRule(bar=0.6))
    [ruling] = decide(ours, [], [], Policy(Rules(threshold=0.9)))
    assert ruling.decision is Decision.INCONCLUSIVE
    assert "the score lies between" in ruling.reason
