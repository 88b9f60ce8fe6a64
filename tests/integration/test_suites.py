"""`assay run SUITE` against a simulated endpoint: what is asked, what is taken, and what comes out."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from assay.cli import main as command_line
from tests.integration.cli import Assay, sim_server
from tests.integration.fleet import endpoint_stats

SUITE = """\
name = "nightly"
data = "demo"
max_connections = 1
[[models]]
model = "openai-api/x/test/letter"
base_url = "${URL}"
[[benchmarks]]
name = "mmlu_pro"
count = 5
"""
MORE = (
    SUITE
    + """\
[[benchmarks]]
name = "mmlu_pro:zero_shot"
count = 3
[gate]
min_scored = 0.9
"""
)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with sim_server(Assay(tmp_path_factory.mktemp("server") / "home")) as base_url:
        yield base_url


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("URL", url)
    monkeypatch.chdir(tmp_path)


def run(text: str, *options: str) -> Result:
    Path("nightly.toml").write_text(text, encoding="utf-8")
    return CliRunner().invoke(command_line.app, ["run", "nightly.toml", *options])


def results(text: str, *options: str, code: int = 0) -> list[dict[str, Any]]:
    done = run(text, *options, "--json")
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)["results"]


def test_only_what_is_missing_is_asked(url: str) -> None:
    def calls() -> int:
        return endpoint_stats(url)["requests"]

    before = calls()
    [first] = results(SUITE)
    assert (first["scored"], first["is_taken"], calls() - before) == (5, False, 5)
    [again] = results(SUITE)
    assert (again["run_id"], again["is_taken"], calls() - before) == (first["run_id"], True, 5)
    taken, new = results(MORE)
    assert (taken["run_id"], taken["is_taken"], new["is_taken"]) == (first["run_id"], True, False)
    assert calls() - before == 8
    anew = results(MORE, "--again")
    assert {one["run_id"] for one in anew}.isdisjoint({first["run_id"], new["run_id"]})
    assert calls() - before == 16
    other = results(MORE.replace("[[models]]", "[settings]\ntemperature = 0.9\n[[models]]"))
    assert [one["is_taken"] for one in other] == [False, False]
    assert calls() - before == 24


def test_a_run_that_used_its_budget_goes_on_when_there_is_more(url: str) -> None:
    before = endpoint_stats(url)["requests"]
    done = run(SUITE + "[budget]\ntokens = 1\n")
    assert done.exit_code == 1
    assert "paused" in done.output
    still = run(SUITE + "[budget]\ntokens = 1\n")
    assert still.exit_code == 1
    assert "the budget of the suite is used up" in still.output
    assert endpoint_stats(url)["requests"] - before < 5
    more = run(SUITE + "[budget]\ntokens = 1_000_000\n")
    assert more.exit_code == 0, more.output
    assert "of this suite is paused: it goes on" in more.output
    assert endpoint_stats(url)["requests"] - before == 5


def test_the_gate_decides_about_the_exit_code() -> None:
    passed = run(MORE)
    assert (passed.exit_code, "PASS: no regression in 2 benchmarks" in passed.output) == (0, True)
    failed = run(f"{MORE}[gate.benchmarks.mmlu_pro]\nthreshold = 1.0\n")
    assert failed.exit_code == 1
    assert "REGRESSION: 1 of 2 benchmarks regressed" in failed.output
    baseline = json.loads(run(MORE, "--json").stdout)["results"][0]["run_id"]
    compared = run(f'{MORE}baseline = "{baseline}"\nmax_drop = 1.0\n')
    assert (compared.exit_code, "drop" in compared.output) == (0, True)


def test_dry_run_and_faults_ask_nothing(url: str) -> None:
    before = endpoint_stats(url)["requests"]
    dry = run(SUITE, "--dry-run")
    assert dry.exit_code == 0
    assert "Estimate" in dry.output
    faulty = run(SUITE.replace("count = 5", "count = 0\ncuont = 5"))
    assert faulty.exit_code == 2
    assert "nightly.toml:9: benchmarks[0].count: must be at least 1" in faulty.output
    assert "nightly.toml:10: benchmarks[0].cuont: is not known here; did you mean 'count'?" in faulty.output
    assert endpoint_stats(url)["requests"] == before


def test_detached_runs_wait_for_workers_and_are_not_queued_twice() -> None:
    first = json.loads(run(MORE, "--detach", "--json").stdout)["runs"]
    again = json.loads(run(MORE, "--detach", "--json").stdout)["runs"]
    assert len(first) == 2
    assert sorted(first) == sorted(again)


def test_an_option_that_belongs_into_the_file_is_refused() -> None:
    done = run(SUITE, "--samples", "2")
    assert "--samples cannot be given with a suite" in str(done.exception)


def test_a_budget_in_usd_needs_prices_before_anything_is_asked(url: str) -> None:
    before = endpoint_stats(url)["requests"]
    unknown = run(SUITE + "[budget]\nusd = 1\n")
    assert "is unknown, so a budget in USD cannot be kept" in str(unknown.exception)
    assert endpoint_stats(url)["requests"] == before
    known = SUITE.replace("[[benchmarks]]", "price = {input = 1, output = 2}\n[[benchmarks]]")
    assert run(known + "[budget]\nusd = 1\n").exit_code == 0


def test_two_names_for_one_model_are_two_rows_of_one_table(url: str) -> None:
    before = endpoint_stats(url)["requests"]
    second = '[[models]]\nmodel = "openai-api/x/test/letter"\nname = "brief"\nbase_url = "${URL}"\n'
    text = SUITE.replace("[[benchmarks]]", second + 'settings = {system = "Be brief."}\n[[benchmarks]]')
    rows = results(text)
    assert [one["name"] for one in rows] == ["openai-api/x/test/letter", "brief"]
    assert [one["generation"].get("system") for one in rows] == [None, "Be brief."]
    assert endpoint_stats(url)["requests"] - before == 10
    assert [one["is_taken"] for one in results(text)] == [True, True]


FILE = """\
import assay
@assay.benchmark(rows="capitals.csv", prompt="Capital of {country}?", expected="capital", grader="contains")
def capitals(): ...
"""
OWN = """\
[[models]]
model = "sim/oracle"
[[models]]
model = "sim/echo"
[[benchmarks]]
name = "./mine/capitals.py"
[gate.benchmarks."./mine/capitals.py:capitals"]
min_scored = 0.9
"""


@pytest.fixture
def own_file() -> Path:
    folder = Path("mine")
    folder.mkdir()
    rows = "".join(f"C{number},Town{number}\n" for number in range(60))
    (folder / "capitals.csv").write_text(f"country,capital\n{rows}")
    (folder / "capitals.py").write_text(FILE)
    return folder / "capitals.py"


def test_a_benchmark_in_a_file_is_asked_once_for_each_content(own_file: Path) -> None:
    first = results(OWN)
    assert [(one["benchmark"], one["scored"], one["is_taken"]) for one in first] == [
        ("file:capitals", 60, False)
    ] * 2
    assert [one["is_taken"] for one in results(OWN)] == [True, True]
    own_file.write_text(FILE + "# changed\n")
    assert [one["is_taken"] for one in results(OWN)] == [False, False]
    detached = run(OWN, "--detach")
    assert "the service and its workers import no file of users" in str(detached.exception)


@pytest.mark.usefixtures("own_file")
def test_models_are_compared_until_it_is_decided_all_in_one_run() -> None:
    text = f'stop = "better"\n{OWN}'
    done = run(text)
    assert done.exit_code == 0, done.output
    assert "Decided item by item:" in done.output
    taken = results(text)
    assert [one["is_taken"] for one in taken] == [True, True]
    assert all(one["scored"] < 60 for one in taken)
    third = f'{text}[[models]]\nmodel = "sim/good"\n'
    anew = results(third)
    assert [one["is_taken"] for one in anew] == [False] * 3
    assert len({one["run_id"] for one in anew}) == 1


@pytest.mark.usefixtures("own_file")
def test_a_suite_takes_stored_answers_where_it_says_so() -> None:
    results(OWN)
    run(f"reuse = true\n{OWN}", "--again")
    asked = json.loads(CliRunner().invoke(command_line.app, ["list", "--json"]).stdout)["runs"]
    shown = CliRunner().invoke(command_line.app, ["show", asked[0]["run_id"], "--json"]).stdout
    assert [one["reused"] for one in json.loads(shown)["evaluations"]] == [60, 60]
