"""Benchmarks of a program itself: declared in a script, in a cell, in a file, or given as an object."""

import importlib
import json
import linecache
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import assay
from assay.cli.main import app
from assay.domain.errors import DataChangedError, InvalidValueError
from assay.engine.ports import BenchmarkData
from tests.builders import LetterBenchmark

ROWS = 12
FILE = '''
import assay
from right_words import is_right

@assay.benchmark(rows="capitals.csv", prompt="Capital of {country}?", expected="capital")
def capitals(answer, expected):
    """Capitals of countries."""
    return is_right(answer, expected)
'''
STARTS = """
result = assay.evaluate("sim/oracle", capitals, progress=False)
print(result.run_id, result.score)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "right_words.py").write_text("def is_right(answer, right):\n    return right in answer\n")
    rows = "".join(f"C{number},Town{number}\n" for number in range(ROWS))
    (tmp_path / "capitals.csv").write_text(f"country,capital\n{rows}")
    return tmp_path


def cli(*arguments: str) -> Any:
    done = CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output or repr(done.exception)
    return done.stdout


def wrong(messages: list[dict[str, Any]]) -> str:
    return f"no idea: {messages[-1]['content']}"


def declared_in_cell(text: str, name: str, *, has_source: bool = True) -> Any:
    """As in a notebook: the source is known, and in no file."""
    place = f"<cell {hash(text)}>"
    if has_source:
        linecache.cache[place] = (len(text), None, text.splitlines(keepends=True), place)
    known: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(text, place, "exec"), known)  # noqa: S102 # our own text
    return known[name]


CELL = """
import assay
@assay.benchmark(rows=[{"q": f"Say {n}.", "a": f"w{n}"} for n in range(10, 22)], prompt="{q}", expected="a")
def numbers(answer, expected):
    return expected in answer
"""


def test_a_declaration_of_an_imported_file_is_the_benchmark_that_the_command_line_runs(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "own_capitals.py").write_text(FILE)
    (folder / "stranger.py").write_text("")
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    importlib.import_module("stranger")
    module = importlib.import_module("own_capitals")
    try:
        result = assay.evaluate("sim/oracle", module.capitals, progress=False)
    finally:
        for name in ("own_capitals", "right_words", "stranger"):
            sys.modules.pop(name, None)
    [one] = result.evaluations
    assert (one.benchmark, one.score, one.scored) == ("file:capitals", 1.0, ROWS)
    other = json.loads(cli("run", "sim/oracle", "./own_capitals.py", "--json"))["evaluations"][0]
    assert (one.fingerprint, one.benchmark_version) == (other["fingerprint"], other["version"])
    by_path = assay.evaluate(wrong, Path("own_capitals.py"), progress=False)
    assert by_path.evaluations[0].fingerprint == one.fingerprint
    assert by_path.score == 0
    assert "Capital of C" in next(by_path.items()).answer
    [pair] = assay.compare(result, by_path).pairs
    assert (pair.items, pair.differing) == (ROWS, ())
    bundle = str(result.export("run.zip"))
    assert "12 verdicts reproduced" in cli(
        "verify", bundle, "--rescore", "--benchmark-file", "own_capitals.py"
    )


def test_a_script_declares_and_runs_and_is_not_run_again_by_whoever_loads_it(folder: Path) -> None:
    script = folder / "script.py"
    script.write_text(FILE + STARTS)
    done = subprocess.run([sys.executable, script.name], capture_output=True, text=True, check=True)
    run_id, score = done.stdout.split()
    assert score == "1.0"
    assert assay.load(run_id).evaluations[0].benchmark == "file:capitals"
    refused = CliRunner().invoke(app, ["run", "sim/echo", "./script.py"])
    assert isinstance(refused.exception, InvalidValueError)
    assert "script.py, line 10: the file is loaded for its benchmarks and starts a run" in (
        refused.exception.message
    )
    assert len(json.loads(cli("list", "--json"))["runs"]) == 1


def test_a_declaration_of_a_cell_is_run_shown_compared_and_gone_on_with(folder: Path) -> None:
    numbers = declared_in_cell(CELL, "numbers")
    first = assay.evaluate(wrong, numbers, budget_tokens=1, max_connections=1, progress=False)
    whole = assay.evaluate(["sim/oracle", wrong], numbers, progress=False)
    assert [one.score for one in whole.evaluations] == [1.0, 0.0]
    assert first.evaluations[0].fingerprint == whole.evaluations[0].fingerprint
    stored = assay.load(whole.run_id)
    assert {one.answer[:13] for one in stored.items(outcome="incorrect")} == {"no idea: Say "}
    assert "no idea: Say 10." in whole.to_html(folder / "run.html").read_text()
    assert assay.compare(whole).pairs[0].items == 12
    paused = assay.evaluate("sim/echo", numbers, budget_tokens=1, max_connections=1, progress=False)
    assert paused.state == "paused"
    changed = declared_in_cell(CELL.replace("in answer", "== answer"), "numbers")
    with pytest.raises(DataChangedError, match="is not what it was when the run was created"):
        assay.resume(paused, None, changed, budget_tokens=100_000, progress=False)
    with pytest.raises(InvalidValueError, match="which a program declared: give it"):
        assay.resume(paused, progress=False)
    resumed = assay.resume(paused, benchmarks=numbers, budget_tokens=100_000, progress=False)
    assert (resumed.state, resumed.evaluations[0].scored) == ("succeeded", 12)


def test_what_cannot_be_known_or_told_apart_is_an_error() -> None:
    with pytest.raises(InvalidValueError, match=r"the source of .* cannot be read"):
        assay.evaluate("sim/echo", declared_in_cell(CELL + "#\n", "numbers", has_source=False))
    with pytest.raises(InvalidValueError, match="does not say what its columns mean: declare it"):
        assay.evaluate("sim/echo", "hf:org/name")
    with pytest.raises(InvalidValueError, match="two benchmarks are called 'file:numbers'"):
        assay.evaluate("sim/echo", [declared_in_cell(CELL, "numbers"), declared_in_cell(CELL, "numbers")])


@dataclass(frozen=True)
class _OwnData(LetterBenchmark):
    def own_data(self, where: str) -> BenchmarkData:
        assert where == "official"
        return BenchmarkData(self.demo_tables(), "my-2026", "ab" * 32)


@pytest.mark.parametrize("is_gated", [False, True])
def test_texts_of_own_data_are_shown_unless_it_says_that_it_is_gated(*, is_gated: bool) -> None:
    plain = _OwnData()
    card = replace(plain.card, source=replace(plain.card.source, gated=is_gated))
    result = assay.evaluate(wrong, replace(plain, card=card), progress=False)
    for found in (result, assay.load(result.run_id)):
        assert all(("Say" in one.prompt) is not is_gated for one in found.items())
        assert all(one.prompt.startswith("Say") for one in found.items(reveal=True))


def test_a_data_set_is_named_as_on_the_command_line(folder: Path) -> None:
    (folder / "mine.jsonl").write_text('{"prompt": "Say a.", "expected": "a"}\n')
    cli("datasets", "add", "mine.jsonl")
    assert assay.evaluate("sim/oracle", "dataset:mine", progress=False).score == 1.0
