"""`import assay` in programs: the engine and the store of the command line, also for functions as models."""

import asyncio
import gc
import json
import pydoc
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import assay
from assay.cli.event_loop import only_executor
from assay.cli.main import app
from assay.domain.errors import ConflictError, InvalidValueError, UnknownNameError
from assay.python_api.options import Options, check_types
from tests.builders import LetterBenchmark

ITEMS = 12
HEAVY = {"aiohttp", "asyncio", "dataclasses", "pydantic", "rich", "sqlalchemy", "typer", "yarl"}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


def evaluated(model: Any, **options: Any) -> assay.Result:
    given: dict[str, Any] = {"data": "demo", "count": ITEMS, "progress": False, **options}
    return assay.evaluate(model, "mmlu_pro", **given)


def always_a(messages: list[dict[str, Any]]) -> str:
    assert messages[-1]["role"] == "user"
    return "The answer is (A)."


async def always_b(_: list[dict[str, Any]]) -> assay.Completion:
    usage = assay.Usage(input_tokens=7, output_tokens=5)
    return assay.Completion("The answer is (B).", usage=usage)


def html_of(shown: Any) -> str:
    """What a notebook shows."""
    return shown._repr_html_()


def cli(*arguments: str) -> str:
    done = CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output or repr(done.exception)
    return done.stdout


def test_a_model_is_evaluated_and_the_run_is_that_of_the_command_line() -> None:
    result = evaluated("sim/good", name="from Python", tags=["nightly"])
    [one] = result.evaluations
    assert (result.state, result.error, result.name) == ("succeeded", None, "from Python")
    assert (one.model, one.benchmark, one.scored, one.total) == ("sim/good", "mmlu_pro", ITEMS, ITEMS)
    assert result.score == one.score
    assert one.score is not None
    assert one.interval is not None
    assert one.interval[0] < one.score < one.interval[1]
    assert sum(one.outcomes.values()) == ITEMS
    assert one.is_local_code is False
    shown = json.loads(cli("show", result.run_id, "--json"))
    assert shown["evaluations"][0]["score"] == one.score
    assert assay.load(result.run_id[:8]).evaluations == result.evaluations
    assert f"{100 * one.score:.1f} %" in repr(result)


def test_functions_are_stored_compared_and_proven_as_local_code(tmp_path: Path) -> None:
    result = evaluated([always_a, always_b, {"second-a": always_a}])
    first, _, third = result.evaluations
    assert [one.model for one in result.evaluations] == ["local/always_a", "local/always_b", "local/second-a"]
    assert first.score == third.score
    assert all(one.is_local_code and "source sha256 " in str(one.endpoint) for one in result.evaluations)
    assert len(assay.compare(result).pairs) == 3
    tokens = {one.model: one.output_tokens for one in result.items()}
    assert tokens == {"local/always_a": None, "local/always_b": 5, "local/second-a": None}
    assert "answered by local code" in cli("show", result.run_id)
    path = result.export(tmp_path / "run.zip")
    assert "PROVEN" in cli("verify", str(path), "--rescore")
    assert "local/always_a (local code)" in result.to_html(tmp_path / "run.html").read_text()
    assert "local code tests" in result.to_markdown()
    shown = json.loads(cli("show", result.run_id, "--json"))["evaluations"]
    assert [one["endpoint"] for one in shown] == [one.endpoint for one in result.evaluations]


def test_what_a_function_does_wrong_is_the_outcome_of_one_attempt() -> None:
    calls = threading.Lock()
    numbers = iter(range(1_000))

    def careless(_: object) -> Any:
        with calls:
            number = next(numbers) % 3
        if number == 0:
            raise ZeroDivisionError("an odd case")
        return "The answer is (A)." if number == 1 else sys.exit(3)

    result = evaluated(careless)
    [one] = result.evaluations
    assert result.state == "succeeded"
    assert one.outcomes["model_error"] == 8
    assert one.scored == 4
    said = {found.error for found in result.items(outcome="model_error")}
    assert any("ZeroDivisionError: an odd case (test_python_api.py, line " in str(error) for error in said)
    assert any("SystemExit: 3" in str(error) for error in said)


def test_a_function_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKER_ITEM_ATTEMPTS", "1")
    release = threading.Event()

    def hangs(_: object) -> str:
        release.wait(120)
        return ""

    result = evaluated(hangs, count=2, timeout_s=0.05, max_connections=2)
    release.set()
    assert result.evaluations[0].outcomes == {"timeout": 2}
    assert result.score is None


async def test_a_running_event_loop_is_no_obstacle() -> None:
    assert evaluated(always_b).state == "succeeded"


async def test_the_async_twin_leaves_the_loop_to_its_caller_and_runs_functions_there() -> None:
    here = asyncio.get_running_loop()

    async def same_loop(_: object) -> str:
        assert asyncio.get_running_loop() is here
        return "The answer is (A)."

    result = await assay.evaluate_async(same_loop, "mmlu_pro", data="demo", count=ITEMS, progress=False)
    assert result.evaluations[0].scored == ITEMS


async def test_a_cancelled_evaluation_is_paused_and_goes_on_where_it_was() -> None:
    calls, is_resumed = 0, False
    half = asyncio.Event()

    async def stops_halfway(_: object) -> str:
        nonlocal calls
        calls += 1
        if calls > ITEMS // 2 and not is_resumed:
            half.set()
            await asyncio.sleep(60)
        return "The answer is (A)."

    work = asyncio.create_task(
        assay.evaluate_async(
            stops_halfway, "mmlu_pro", data="demo", count=ITEMS, max_connections=1, progress=False
        )
    )
    async with asyncio.timeout(120):
        await half.wait()
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
    [run] = json.loads(await asyncio.to_thread(cli, "list", "--json"))["runs"]
    assert run["status"] == "paused"
    stored = run["evaluations"][0]["completed"]
    assert stored == ITEMS // 2
    is_resumed, calls = True, 0
    result = await assay.resume_async(run["run_id"], stops_halfway, progress=False)
    assert result.state == "succeeded"
    assert calls == ITEMS - stored, "no stored attempt is repeated"


SCRIPT = """
import os, sys, time, assay

def slow(messages):
    os.write(1, b"called\\n")
    time.sleep(0.2)
    return "The answer is (A)."

if len(sys.argv) == 1:
    assay.evaluate(slow, "mmlu_pro", data="demo", max_connections=2, count=12)
else:
    print(assay.resume(sys.argv[1], slow, progress=False).state)
"""


def test_ctrl_c_pauses_the_run_and_says_how_to_go_on(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    process = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    for _ in range(4):
        assert process.stdout.readline() == "called\n"
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in said
    [run] = json.loads(cli("list", "--json"))["runs"]
    assert run["status"] == "paused"
    assert f"is paused; go on with: assay.resume('{run['run_id'][:8]}', model)" in said
    done = subprocess.run(
        [sys.executable, str(script), run["run_id"][:8]],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.splitlines()[-1] == "succeeded"


def paused(model: Any) -> str:
    """A run that has used up its tokens, and so has attempts to make."""
    result = evaluated(model, budget_tokens=30, max_connections=1)
    assert result.state == "paused"
    assert "budget" in str(result.error)
    return result.run_id


def test_a_run_of_functions_goes_on_with_the_same_functions_alone() -> None:
    run_id = paused(always_b)

    async def other(_: object) -> str:
        return "The answer is (C)."

    with pytest.raises(
        InvalidValueError, match=r"give the function, as in assay\.resume\('.{8}', \{'always_b'"
    ):
        assay.resume(run_id)
    with pytest.raises(ConflictError, match="was started with another 'local/always_b'"):
        assay.resume(run_id, {"always_b": other})
    with pytest.raises(InvalidValueError, match="is a function of a Python program"):
        CliRunner().invoke(app, ["resume", run_id], catch_exceptions=False)
    assert assay.load(run_id).state == "paused"
    whole = assay.resume(run_id, always_b, budget_tokens=10_000, progress=False)
    assert (whole.state, whole.evaluations[0].scored) == ("succeeded", ITEMS)
    assert assay.resume(whole, always_b).evaluations == whole.evaluations, "nothing is missing"


def test_attempts_without_a_verdict_are_repeated_when_asked_for_and_by_this_program_alone() -> None:
    is_mended = False

    def sometimes(messages: list[dict[str, Any]]) -> str:
        if not is_mended and len(messages[-1]["content"]) % 2:
            raise ValueError("an odd question")
        return "The answer is (A)."

    first = evaluated(sometimes)
    errors = first.evaluations[0].outcomes["model_error"]
    assert 0 < errors < ITEMS
    with pytest.raises(InvalidValueError, match="is a function of a Python program"):
        CliRunner().invoke(app, ["retry", first.run_id], catch_exceptions=False)
    assert assay.load(first.run_id).evaluations == first.evaluations, "nothing was queued for the workers"
    is_mended = True
    second = assay.resume(first, sometimes, retry_errors=True, progress=False)
    assert (second.state, second.evaluations[0].scored) == ("succeeded", ITEMS)


def test_one_program_executes_a_run_once(home: Path) -> None:
    run_id = evaluated("sim/good", count=1).run_id
    with only_executor(home, run_id):
        with only_executor(home, "0" * 8), pytest.raises(ConflictError), only_executor(home, run_id):
            pass
        held = (
            "import sys; from pathlib import Path; from assay.cli.event_loop import only_executor\n"
            f"with only_executor(Path({str(home)!r}), {run_id!r}): pass"
        )
        done = subprocess.run([sys.executable, "-c", held], capture_output=True, text=True, check=False)
        assert "by another process" in done.stderr, "another run has ended here, and the lock is still held"
    with only_executor(home, run_id):
        pass


def test_items_are_an_iterator_and_tables_have_a_row_each() -> None:
    result = evaluated(["sim/good", "sim/weak"], samples=2)
    items = result.items()
    assert next(items).benchmark == "mmlu_pro"
    assert sum(1 for _ in items) == 4 * ITEMS - 1
    wrong = list(result.items(outcome="incorrect"))
    assert {one.outcome for one in wrong} == {"incorrect"}
    assert wrong[0].prompt
    pandas: Any = result.to_pandas()  # its types are not complete
    polars = result.to_polars()
    assert len(pandas) == len(polars) == 4 * ITEMS
    assert list(pandas.columns) == polars.columns
    assert pandas["score"].tolist() == polars["score"].to_list()
    with pytest.raises(UnknownNameError, match="did you mean 'incorrect'"):
        next(result.items(outcome="incorect"))


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_a_table_of_a_package_that_is_missing_says_how_to_get_it(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = evaluated("sim/good", count=1)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InvalidValueError, match=f"pip install {package}"):
        getattr(result, f"to_{package}")()


def test_runs_are_compared_in_words_numbers_and_files(tmp_path: Path) -> None:
    first, second = evaluated("sim/good"), evaluated("sim/weak")
    found = assay.compare(first, second.run_id[:8])
    [pair] = found.pairs
    assert (pair.ours, pair.theirs, pair.items, pair.differing) == ("sim/good", "sim/weak", ITEMS, ())
    assert repr(found) == pair.sentence
    assert pair.sentence in found.to_html(tmp_path / "c.html").read_text()
    assert "| sim/good and sim/weak |" in found.to_markdown()
    assert "<svg" in html_of(found)
    with pytest.raises(InvalidValueError, match="nothing to compare"):
        assay.compare(first)
    with pytest.raises(InvalidValueError, match="give a run"):
        assay.compare()


def test_a_notebook_shows_scores_intervals_and_a_picture() -> None:
    result = evaluated([always_a, "sim/good"])
    page = html_of(result)
    for shown in ("<svg", "95 % interval", "local/always_a (local code)", "Answered by local code tests"):
        assert shown in page


def test_a_score_of_several_evaluations_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="2 evaluations"):
        _ = evaluated(["sim/good", "sim/weak"], count=1).score


def test_a_benchmark_may_be_given_itself() -> None:
    result = assay.evaluate(always_a, LetterBenchmark(), data="demo", progress=False)
    assert (result.evaluations[0].benchmark, result.evaluations[0].outcomes) == ("letters", {"unparsed": 4})


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: evaluated("sim/good", temprature=1), "did you mean 'temperature'"),
        (lambda: evaluated("sim/good", samples="3"), "samples must be int, not '3'"),
        (lambda: evaluated("sim/good", samples=True), "samples must be int"),
        (lambda: evaluated("sim/good", tags="nightly"), "tags must be Sequence, not 'nightly'"),
        (lambda: evaluated("sim/good", timeout_s=0), "more than 0 seconds"),
        (lambda: evaluated(4), "a model is a name such as 'vllm/my-model', or a function"),
        (lambda: evaluated({"a b": always_a}), "a function's name is 1 to 100 letters"),
        (lambda: evaluated([lambda _: "", lambda _: ""]), "two functions are called 'local/lambda'"),  # pyright: ignore[reportUnknownLambdaType] # as users write them
        (lambda: evaluated([]), "at least one model"),
        (lambda: assay.evaluate("sim/good", [3]), "a benchmark is a name"),  # pyright: ignore[reportArgumentType] # users make mistakes
        (lambda: assay.evaluate("sim/good", "mmlu_por", data="demo"), "did you mean 'mmlu_pro'"),
        (lambda: assay.load("ffff"), "no run 'ffff'"),
        (lambda: evaluated("sim/good", count=1).export("x", "docx"), "format must be one of zip,"),
    ],
)
def test_a_mistake_is_an_error_that_says_what_to_do(wrong: Callable[[], object], said: str) -> None:
    with pytest.raises(assay.AssayError) as caught:
        wrong()
    assert said in str(caught.value)


def test_every_option_takes_the_types_it_names() -> None:
    check_types(Options(budget_usd=1, temperature=0, data=Path("x"), items=("a",), judge=["a"], count=None))


def test_import_is_fast_and_help_reads_well() -> None:
    loaded = "import sys, assay; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert not HEAVY & set(done.stdout.split())
    assert dir(assay) == sorted(assay.__all__)
    text = pydoc.plain(pydoc.render_doc(assay))
    assert "Benchmark any model. Prove every score." in text
    for name in assay.__all__:
        assert name in text
        assert pydoc.getdoc(getattr(assay, name)) or name == "errors", f"{name} has no description"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = assay.nothing  # pyright: ignore[reportAttributeAccessIssue] # it does not exist


def test_the_garbage_of_the_program_is_collected_as_before() -> None:
    gc.unfreeze()
    own = gc.get_threshold()
    try:
        gc.set_threshold(701, 11, 12)
        evaluated(always_a, count=1)
        assert gc.get_threshold() == (701, 11, 12)
        assert gc.get_freeze_count() == 0
    finally:
        gc.set_threshold(*own)


def test_progress_is_shown_while_the_run_lasts(capsys: pytest.CaptureFixture[str]) -> None:
    assay.evaluate(always_a, "mmlu_pro", data="demo", count=2)
    assert "run " in capsys.readouterr().err
    evaluated(always_a, count=2)
    assert capsys.readouterr().err == ""
