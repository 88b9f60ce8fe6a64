"""A suite from a file, or all its faults at once with line and field."""

import re
from decimal import Decimal
from importlib.resources import files
from pathlib import Path

import jsonschema_rs
import pytest
import yaml

from assay.adapters.suites.schema import json_schema
from assay.domain.run import Budget, ModelEndpoint, Subset
from assay.domain.stopping import StopRule
from tests.unit.adapters.suites.suites import reading, suite_of

MINIMAL = '[[models]]\nmodel = "sim/good"\n[[benchmarks]]\nname = "mmlu_pro"\n'
DECLARED = """\
import assay
ROWS = [{"country": f"C{number}", "capital": f"Town{number}"} for number in range(9)]
@assay.benchmark(rows=ROWS, prompt="Capital of {country}?", expected="capital", grader="contains")
def capitals(): ...
@assay.benchmark(rows=ROWS, prompt="River of {country}?", expected="capital", grader="contains")
def rivers(): ...
"""
TWO = """\
[[models]]
model = "sim/good"
[[models]]
model = "sim/weak"
"""
FAULTY = """\
name = "x"
samples = true
benchmark = 1
[settings]
temperature = 3
options = {stream = true}
headers = {X-A = "${NOPE}"}
[[models]]
model = "sim/good"
base_ulr = "x"
[[models]]
model = "simm/good"
[[models]]
base_url = "${URL}"
[[benchmarks]]
name = "mmlu_prot"
count = "many"
[[benchmarks]]
name = "hle"
count = 4
percent = 5
[[benchmarks]]
name = "mmlu_pro"
variants = ["robust", "nope"]
few_shot = 9
[gate]
min_score = 2
benchmarks = {ifevall = {max_drop = 0.1}}
"""
FAULTS = [
    (2, "samples", "must not be true or false"),
    (3, "benchmark", "is not known here; did you mean 'benchmarks'?"),
    (5, "settings.temperature", "must be at most 2"),
    (6, "settings.options", "option 'stream' is set by Assay"),
    (7, "settings.headers.X-A", "needs the environment variable NOPE, which is not set"),
    (10, "models[0].base_ulr", "did you mean 'base_url'?"),
    (12, "models[1].model", "no model prefix 'simm'"),
    (13, "models[2].model", "is missing"),
    (14, "models[2].base_url", "needs the environment variable URL, which is not set"),
    (16, "benchmarks[0].name", "no benchmark 'mmlu_prot'; did you mean 'mmlu_pro'"),
    (17, "benchmarks[0].count", "must be a whole number"),
    (18, "benchmarks[1]", "has several of count, percent and items"),
    (19, "benchmarks[1].name", "'hle' is graded by a judge: name models in a table `judge`"),
    (24, "benchmarks[2].variants[1]", "no benchmark 'mmlu_pro:nope'"),
    (25, "benchmarks[2].few_shot", "--few-shot must be 0 to 5, not 9"),
    (27, "gate.min_score", "must be at most 1"),
    (28, "gate.benchmarks.ifevall", "did you mean 'ifeval'?"),
]
FAULTY_YAML = """\
models:
  - model: sim/good
    settings: {temprature: 1, options: [1]}
  - sim/weak
  - model: sim/good
benchmarks:
  - name: mmlu_pro
    few_shot: 1.5
judge:
  models: []
"""
YAML_FAULTS = [
    (1, "models", "'sim/good' is there 2 times: give it another `name`"),
    (3, "models[0].settings.options", "must be a table, or a text that holds one as JSON"),
    (3, "models[0].settings.temprature", "did you mean 'temperature'?"),
    (4, "models[1]", "must be a table"),
    (8, "benchmarks[0].few_shot", "must be a whole number"),
    (10, "judge.models", "must have at least 1 entry"),
]


@pytest.mark.parametrize(
    ("name", "text", "expected"), [("s.toml", FAULTY, FAULTS), ("s.yaml", FAULTY_YAML, YAML_FAULTS)]
)
def test_every_fault_is_told_at_once_with_line_and_field(
    tmp_path: Path, name: str, text: str, expected: list[tuple[int, str, str]]
) -> None:
    found = reading(tmp_path / name, text)
    assert found.suite is None
    assert [(one.line, one.field) for one in found.faults] == [(line, field) for line, field, _ in expected]
    for fault, (line, field, message) in zip(found.faults, expected, strict=True):
        assert message in fault.message
        assert fault.text("s").startswith(f"s:{line}: {field}: ")


def test_an_empty_file_lacks_both_tables(tmp_path: Path) -> None:
    for name in ("s.toml", "s.yaml"):
        faults = reading(tmp_path / name, "").faults
        assert [one.text(name) for one in faults] == [
            f"{name}:1: models: is missing",
            f"{name}:1: benchmarks: is missing",
        ]


def test_what_a_suite_says_is_what_its_runs_get(tmp_path: Path) -> None:
    suite = suite_of(
        tmp_path / "release.toml",
        """
        data = "rows.jsonl"
        samples = 2
        seed = "mine"
        tags = ["a"]
        settings = {temperature = 0.5, options = {top_k = 1, x = {y = 1}}, headers = {X-A = "1"}}
        budget = {usd = "2.50"}
        [[models]]
        model = "vllm/m"
        name = "thinking"
        base_url = "http://${HOST}/v1"
        key_variable = "MY_KEY"
        price = {input = 0.1, output = 2}
        settings = {temperature = 0, options = '{"x": {"z": null}}', headers = {X-B = "${SECRET}"}}
        [[benchmarks]]
        name = "mmlu_pro"
        variants = ["robust"]
        count = "${ITEMS}"
        few_shot = 3
        [[benchmarks]]
        name = "ifeval"
        samples = 1
        data = "demo"
        items = ["1", "2", "1"]
        [gate]
        min_score = 0.5
        [gate.benchmarks.ifeval]
        threshold = 0.2
        """,
        {"HOST": "gpu:8000", "SECRET": "canary", "ITEMS": "7"},
    )
    [model] = suite.models
    assert (model.label, model.model) == ("thinking", "vllm/m")
    price = model.endpoint.price
    assert model.endpoint == ModelEndpoint("http://gpu:8000/v1", "MY_KEY", price)
    assert price is not None
    assert (price.input_usd_per_million, price.output_usd_per_million) == (Decimal("0.1"), Decimal(2))
    assert model.generation.temperature == 0
    assert model.generation.options == {"top_k": 1, "x": {"y": 1, "z": None}}
    assert model.headers == {"X-A": "1", "X-B": "${SECRET}"}
    robust, ifeval = suite.benchmarks
    assert (robust.name, robust.scope.subset) == ("mmlu_pro:robust", Subset(count=7, seed="mine"))
    assert (robust.scope.samples, robust.scope.few_shot) == (2, 3)
    assert robust.scope.data == str(tmp_path / "rows.jsonl")
    assert (ifeval.scope.samples, ifeval.scope.data, ifeval.scope.items) == (1, "demo", ("1", "2"))
    assert suite.description.tags == ("a", "suite:release")
    assert suite.budget == Budget(Decimal("2.50"))
    assert suite.gate is not None
    assert suite.gate.policy.rules("mmlu_pro:robust").min_score == 0.5
    assert suite.gate.policy.rules("ifeval").threshold == 0.2


def test_a_dollar_is_written_twice_where_no_variable_is_meant(tmp_path: Path) -> None:
    text = MINIMAL.replace("[[models]]", 'note = "$${HOME} $5 ${A}"\n[[models]]')
    assert suite_of(tmp_path / "s.toml", text, {"A": "x"}).description.note == "${HOME} $5 x"


@pytest.mark.parametrize("name", ["${}", "${A-B}", "${1}"])
def test_what_names_no_variable_is_a_fault(tmp_path: Path, name: str) -> None:
    [fault] = reading(tmp_path / "s.toml", f'note = "{name}"\n{MINIMAL}').faults
    assert (fault.line, fault.field) == (1, "note")
    assert "names no variable" in fault.message


def test_no_fault_holds_the_value_of_a_variable(tmp_path: Path) -> None:
    more = 'count = "${KEY}"\n[judge]\nmodels = ["sim/a"]\nvotes = "${KEY}"\n[budget]\nusd = "${KEY}"\n'
    faults = reading(tmp_path / "s.toml", MINIMAL + more, {"KEY": "canary-0123456789"}).faults
    assert [one.field for one in faults] == ["benchmarks[0].count", "judge.votes", "budget.usd"]
    assert [one for one in faults if "canary" in one.message] == []


@pytest.mark.parametrize("ending", ["toml", "yaml"])
def test_the_examples_are_in_order_and_say_the_same(tmp_path: Path, ending: str) -> None:
    text = files("assay.adapters.suites").joinpath(f"example.{ending}").read_text(encoding="utf-8")
    suite = suite_of(tmp_path / f"s.{ending}", text)
    other = files("assay.adapters.suites").joinpath("example.toml").read_text(encoding="utf-8")
    assert suite == suite_of(tmp_path / "s.toml", other)


@pytest.mark.parametrize("ending", ["toml", "yaml"])
def test_what_the_examples_have_in_comments_is_in_order_too(tmp_path: Path, ending: str) -> None:
    text = files("assay.adapters.suites").joinpath(f"example.{ending}").read_text(encoding="utf-8")
    # What is not meant as a sentence begins with a small letter or a sign.
    whole = re.sub(r"^( *)# ( *[a-z\[-])", r"\1\2", text.partition("\n\n")[2], flags=re.MULTILINE)
    whole = whole.replace("openai/gpt-5", "vllm/judge")
    environment = {"ROUTE_KEY": "1", "VLLM_URL": "http://gpu:1/v1"}
    (tmp_path / "capitals.py").write_text(DECLARED)
    suite = suite_of(tmp_path / f"s.{ending}", whole, environment)
    assert [one.model for one in suite.models] == ["sim/good", "sim/weak", "vllm/my-model"]
    assert [one.name for one in suite.benchmarks][2:] == [
        "mmlu_pro:robust",
        "mmlu_pro:zero_shot",
        "file:capitals",
        "file:rivers",
    ]
    assert suite.stop == StopRule(bar=0.5)
    assert suite.reuse is True
    assert suite.judge is not None
    assert suite.budget == Budget(Decimal("5.0"), 2_000_000)
    assert suite.gate is not None
    assert suite.gate.baseline == "3f2a91c4"


def test_the_schema_takes_the_example_and_refuses_what_is_refused() -> None:
    validator = jsonschema_rs.validator_for(json_schema())
    example = yaml.safe_load(
        files("assay.adapters.suites").joinpath("example.yaml").read_text(encoding="utf-8")
    )
    assert validator.is_valid(example)
    assert not validator.is_valid({**example, "benchmark": 1})
    assert not validator.is_valid({**example, "models": []})
    assert validator.is_valid({**example, "samples": "${N}", "budget": {"usd": "${USD}", "tokens": "${T}"}})
    assert not validator.is_valid({**example, "samples": "many"})
    assert not validator.is_valid({**example, "samples": 0})


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ('stop = "better within 2 points"', StopRule(margin=0.02, until="better")),
        ("stop = {bar = 0.8, alpha = 0.1}", StopRule(alpha=0.1, bar=0.8)),
        ('stop = {until = "equivalent", margin = "${M}"}', StopRule(margin=0.03, until="equivalent")),
    ],
)
def test_a_suite_may_say_when_its_runs_end(tmp_path: Path, said: str, rule: StopRule) -> None:
    text = f'{said}\n{TWO}[[benchmarks]]\nname = "mmlu_pro"\n'
    assert suite_of(tmp_path / "s.toml", text, {"M": "0.03"}).stop == rule


@pytest.mark.parametrize(
    ("said", "field", "message"),
    [
        ('stop = "soon"', "stop", "'soon' is no such condition"),
        ("stop = {bar = 2}", "stop.bar", "must be less than 1"),
        ("stop = {bar = 0.5, margin = 0.1}", "stop", "leave them out where there is a bar"),
        ('stop = {until = "soon"}', "stop.until", "must be one of 'decided', 'equivalent' or 'better'"),
        ("stop = {untill = 1}", "stop.untill", "did you mean 'until'?"),
        ("stop = 3", "stop", "must be a text or a table"),
        ("reuse = 3", "reuse", "must be true or false"),
    ],
)
def test_a_fault_of_a_stopping_rule_is_told(tmp_path: Path, said: str, field: str, message: str) -> None:
    text = f'{said}\n{TWO}[[benchmarks]]\nname = "mmlu_pro"\n'
    [fault] = reading(tmp_path / "s.toml", text).faults
    assert (fault.line, fault.field) == (1, field)
    assert message in fault.message


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ('[[models]]\nmodel = "sim/good"\n', "needs two models; for one model give a bar"),
        (f"{TWO}settings = {{temperature = 1}}\n", "each may be there once and all need the same settings"),
        (f'{TWO}[[models]]\nmodel = "sim/weak"\nname = "b"\n', "each may be there once"),
    ],
)
def test_models_are_compared_within_one_run(tmp_path: Path, models: str, message: str) -> None:
    text = f'stop = "better"\n{models}[[benchmarks]]\nname = "mmlu_pro"\n'
    [fault] = reading(tmp_path / "s.toml", text).faults
    assert (fault.line, fault.field) == (1, "stop")
    assert message in fault.message


def test_a_file_of_the_users_is_meant_from_the_folder_of_the_suite(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "capitals.py").write_text(DECLARED)
    text = (
        '[[models]]\nmodel = "sim/good"\n[[benchmarks]]\nname = "./mine/capitals.py"\nvariants = ["rivers"]\n'
        '[gate]\nrequired = ["./mine/capitals.py:rivers"]\nbenchmarks = {"file:rivers" = {threshold = 0.2}}\n'
    )
    suite = suite_of(tmp_path / "s.toml", text)
    [one] = suite.benchmarks
    assert one.name == "file:rivers"
    assert one.file is not None
    assert one.file.path == str(tmp_path / "mine" / "capitals.py")
    assert suite.gate is not None
    assert suite.gate.policy.required == ("file:rivers",)
    assert suite.gate.policy.rules("file:rivers").threshold == 0.2


@pytest.mark.parametrize(
    ("more", "field", "message"),
    [
        ('name = "./away.py"', "name", "cannot be read: No such file or directory"),
        ('name = "./mine.py:lakes"', "name", "declares capitals, rivers"),
        ('name = "./mine.py"\nfew_shot = 2', "name", "--few-shot"),
        ('name = "./wrong.py"', "name", "wrong.py, line 1: the file cannot be loaded: ZeroDivisionError"),
        ('name = "./task.yaml"', "name", "task.yaml, line 2: process_docs"),
    ],
)
def test_a_fault_of_a_file_is_told_with_its_place(
    tmp_path: Path, more: str, field: str, message: str
) -> None:
    (tmp_path / "mine.py").write_text(DECLARED)
    (tmp_path / "wrong.py").write_text("1 / 0\n")
    (tmp_path / "task.yaml").write_text("task: t\nprocess_docs: !function u.f\n")
    text = f'[[models]]\nmodel = "sim/good"\n[[benchmarks]]\n{more}\n'
    fault = reading(tmp_path / "s.toml", text).faults[0]
    assert (fault.line, fault.field) == (4, f"benchmarks[0].{field}")
    assert message in fault.message
