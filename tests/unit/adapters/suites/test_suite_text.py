"""A run as a suite: read again it asks the same, and holds no secret."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from assay.adapters.models.providers import shown_url
from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Generation
from assay.domain.calls.pricing import Price
from assay.domain.composite import CompositeRule, Weights
from assay.domain.judging import Judging
from assay.domain.run import Budget, Description, ModelEndpoint, Run, RunId, RunSpec, Subset
from assay.domain.stopping import StopRule
from assay.engine.suites.matrix import specs
from assay.engine.suites.suite_text import suite_text
from tests.builders import NOON
from tests.unit.adapters.suites.suites import loaded_file, suite_of
from tests.unit.adapters.suites.test_read import DECLARED

CANARY = "canary-0123456789"
PRICE = Price(Decimal("0.1"), Decimal(2), "given with the run")
WHOLE = RunSpec(
    models=("vllm/a", "sim/weak"),
    benchmarks=("mmlu_pro", "mmlu_pro:robust"),
    subset=Subset(percent=20, seed="mine"),
    samples=3,
    generation=Generation(
        temperature=0.5,
        top_p=0.25,
        max_tokens=100,
        reasoning_effort="low",
        seed=-1,
        stop=("\n", "${HOME}", 'a"b\\'),
        system="Say ${NAME}, $${X}, ${a${b} and \x7f\n'''\"\"\" 日本語.",
        options={"top_k": 1, "x": {"y": [None, True, "${Z}"]}},
        timeout_s=1e-07,
        retries=0,
        logprobs=True,
    ),
    headers={"X-Key": "Bearer ${ROUTE_KEY}"},
    few_shot=2,
    data="demo",
    max_connections=3,
    budget=Budget(Decimal("1E+2"), 1_000),
    judge=Judging(("vllm/j",), 3, Generation(temperature=0.1, max_tokens=5), "http://j:1/v1", 20.0),
    user_model=Judging(("sim/user",)),
    endpoints={"vllm/a": ModelEndpoint("http://gpu:1/v1", "A_KEY", PRICE)},
    composite=CompositeRule(Weights(50, 10, 15, 15, 10), 0.5),
    warmup=1,
)
NAMED = replace(WHOLE, subset=Subset(seed="mine"), items=(ItemId("1"), ItemId('a, "b"')))
COUNTED = replace(WHOLE, subset=Subset(count=7, seed="mine"))
PLAIN_TWO = RunSpec(models=("sim/good", "sim/weak"), benchmarks=("mmlu_pro",))
STOPPED = replace(PLAIN_TWO, stop=StopRule(margin=0.02, until="better"), reuse=True)
BARRED = replace(PLAIN_TWO, stop=StopRule(alpha=0.1, bar=0.8))
PLAIN = RunSpec(models=("sim/good",), benchmarks=("mmlu_pro",))


def run_of(spec: RunSpec) -> Run:
    said = Description.of("my run", 'a "note"\nof two lines', ("b", "suite:old", "a"))
    return Run(RunId("3f2a91c4-0000-4000-8000-000000000000"), spec, NOON, description=said)


@pytest.mark.parametrize("spec", [WHOLE, NAMED, COUNTED, PLAIN, STOPPED, BARRED])
def test_a_run_that_is_read_again_asks_the_same(tmp_path: Path, spec: RunSpec) -> None:
    text = suite_text(run_of(spec), shown=shown_url, paths=True)
    suite = suite_of(tmp_path / "s.toml", text, {"ROUTE_KEY": CANARY})
    every = {(model.label, one.name) for model in suite.models for one in suite.benchmarks}
    [(found, _places)] = specs(suite, every, budget=suite.budget)
    assert replace(found, endpoints={}) == replace(spec, endpoints={})
    for model in spec.models:
        assert found.endpoint_of(model) == spec.endpoint_of(model)
    assert (suite.name, suite.description.tags) == ("my run", ("a", "b", "suite:my-run"))
    assert suite.description.note == 'a "note"\nof two lines'


def test_secrets_and_folders_of_the_server_are_left_out(tmp_path: Path) -> None:
    spec = replace(
        PLAIN,
        models=("vllm/a",),
        headers={"X-Key": CANARY, "X-Both": f"{CANARY}${{B}}", "X-Env": "Bearer ${B}"},
        base_url=f"http://user:{CANARY}@gpu:1/v1?key={CANARY}",
        credential=CANARY,
        data=f"/srv/{CANARY}/rows.jsonl",
    )
    text = suite_text(run_of(spec), shown=shown_url, paths=False)
    assert CANARY not in text
    suite = suite_of(tmp_path / "s.toml", text, {"X_KEY": "1", "X_BOTH": "2", "B": "3"})
    assert suite.models[0].headers == {"X-Key": "${X_KEY}", "X-Both": "${X_BOTH}", "X-Env": "Bearer ${B}"}
    assert suite.models[0].endpoint.base_url == "http://gpu:1/v1"
    assert suite.benchmarks[0].scope.data == str(tmp_path / "rows.jsonl")


@pytest.mark.parametrize("paths", [True, False])
def test_a_benchmark_in_a_file_is_named_by_the_file(tmp_path: Path, *, paths: bool) -> None:
    path = tmp_path / "capitals.py"
    path.write_text(DECLARED)
    [_, rivers] = loaded_file(path).benchmarks
    name = rivers.card.name
    spec = replace(PLAIN, benchmarks=(name,), files={name: loaded_file(path).file})
    text = suite_text(run_of(spec), shown=shown_url, paths=paths)
    assert (str(tmp_path) in text) is paths
    [found] = suite_of(tmp_path / "s.toml", text).benchmarks
    assert (found.name, found.file) == (name, spec.files[name])
