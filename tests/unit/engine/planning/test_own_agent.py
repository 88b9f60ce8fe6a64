"""An own agent in the plan of a run: where it can work, and what makes two runs comparable."""

from dataclasses import replace
from pathlib import Path

import pytest

from assay.adapters.datasets.library import FileDataLibrary
from assay.domain.agent import AgentLimits, OwnAgent
from assay.domain.errors import DataChangedError, InvalidValueError
from assay.domain.fingerprint import differences
from assay.domain.run import RunId, RunSpec
from assay.engine.planning.catalogue import Catalogue
from assay.engine.planning.plan import PlannedBenchmark, new_evaluations, plan_benchmarks, replan

SPEC = RunSpec(("sim/x",), ("terminal_bench_hard",), data="demo", agent=OwnAgent("run"))
CATALOGUE = Catalogue.installed()
LIBRARY = FileDataLibrary(Path("unused"))


def planned(spec: RunSpec) -> PlannedBenchmark:
    return plan_benchmarks(spec, catalogue=CATALOGUE, library=LIBRARY)[0]


def test_a_benchmark_without_containers_refuses_an_agent() -> None:
    with pytest.raises(InvalidValueError, match=r"'mmlu_pro' has no containers.*leave --agent-command out"):
        planned(replace(SPEC, benchmarks=("mmlu_pro",)))


@pytest.mark.parametrize("benchmark", ["terminal_bench_hard", "swe_bench_pro"])
def test_runs_with_another_agent_are_marked_as_different(benchmark: str) -> None:
    spec = replace(SPEC, benchmarks=(benchmark,))
    own = planned(spec).fingerprint
    assert differences(own, planned(spec).fingerprint) == ()
    assert differences(own, planned(replace(spec, agent=OwnAgent("other"))).fingerprint) == ("agent",)
    limited = replace(spec, agent=OwnAgent("run", limits=AgentLimits(tokens=5)))
    assert differences(own, planned(limited).fingerprint) == ("agent",)
    built_in = planned(replace(spec, agent=None)).fingerprint
    assert differences(own, built_in) == ("limits", "agent")
    assert "agent" not in built_in.to_json(), "older runs stay comparable"


def test_a_run_does_not_go_on_with_a_folder_that_was_changed(tmp_path: Path) -> None:
    (tmp_path / "run.py").write_text("print(1)")
    spec = replace(SPEC, agent=OwnAgent("python /agent/run.py", str(tmp_path)))
    one = planned(spec)
    [evaluation] = new_evaluations(RunId("r"), spec, [one], {"sim/x": None})
    assert replan(evaluation, spec, catalogue=CATALOGUE, library=LIBRARY).agent == one.agent
    (tmp_path / "run.py").write_text("print(2)")
    with pytest.raises(DataChangedError, match=r"\(agent differ\)"):
        replan(evaluation, spec, catalogue=CATALOGUE, library=LIBRARY)
