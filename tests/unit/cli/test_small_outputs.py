"""Singular and plural, no Python values, no progress characters in a pipe, 80 columns."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.cli.main import main
from assay.cli.output.progress import Tally, count_progress, download_progress, live_progress
from assay.cli.output.write import write_json
from assay.domain.outcome import Outcome
from assay.domain.run import State
from assay.domain.stats import plural
from assay.engine.models.limiter import AdaptiveLimiter
from assay.engine.models.traffic import Traffic
from tests.builders import ManualClock, Seeded, attempt
from tests.unit.cli.conftest import CommandLine, run_named

# Cells that must not be cut off.
WHOLE: dict[tuple[str, ...], tuple[str, ...]] = {
    ("benchmarks",): ("gpqa_diamond:nine_patterns", "not fetched"),
    ("data", "list"): ("livecodebench", "not fetched"),
    ("models",): ("OPENROUTER_API_KEY", "no key", "azure/", "no address"),
    ("list",): ("aaaa0001", "queued", "0 of 4"),
}
LINE = '{"id": "%s", "prompt": "What?", "expected": "x"}\n'


def test_one_is_not_plural() -> None:
    assert [plural(count, "line") for count in (0, 1, 2, 1_000)] == [
        "0 lines",
        "1 line",
        "2 lines",
        "1,000 lines",
    ]


def test_a_data_set_of_one_line_is_shown_without_python_values(assay: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "caps.jsonl").write_text(LINE % "a")
    assert "1 line, 1 of them graded" in assay.printed("datasets", "add", "caps.jsonl")
    shown = assay.printed("datasets", "show", "caps")
    assert "graders      exact 1\n" in shown
    assert "models       any\n" in shown
    assert not [one for one in ("None", "{'", "['", "\x1b") if one in shown]


def test_one_further_fault_of_a_file_is_told_as_one(assay: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"prompt": 1}\n{"prompt": 2}\n')
    assert assay.error("datasets", "add", "bad.jsonl").endswith("must be text, not a number (and 1 more)")
    (tmp_path / "bad.jsonl").write_text('{"prompt": 1}\n')
    assert assay("datasets", "add", "bad.jsonl").stderr == "", "the error has the only fault"


def test_empty_lists_say_what_to_do(assay: CommandLine) -> None:
    assay.add_run(run=run_named("aaaa0001"))
    assert assay.printed("datasets", "list").endswith("add one with: assay datasets add FILE\n")
    assert assay.printed("users", "list").endswith("assay users add NAME\n")
    assert assay.printed("annotations", "aaaa").endswith("assay annotate RUN ITEM LABEL\n")
    assert assay.json("datasets", "list") == {"datasets": []}


def test_the_same_run_twice_is_compared_once(assay: CommandLine) -> None:
    run = assay.json("run", "sim/good,sim/weak", "mmlu_pro", "--data", "demo", "--count", "5")["run_id"]
    assert len(assay.json("compare", run, run[:8])["comparisons"]) == 1
    assert len(assay.json("datasets", "compare", run, run[:8])["agreement"]) == 1


def test_a_pipe_gets_lines_without_carriage_returns(capsys: pytest.CaptureFixture[str]) -> None:
    evaluation = Seeded().evaluation()
    with live_progress([evaluation], {evaluation.id: Tally()}, quiet=False) as observer:
        observer.attempt_ended(evaluation, attempt())
    with count_progress("sim/good on letters", 2, quiet=False) as add:
        add(1)
        add(1)
    with download_progress(quiet=False) as update:
        update("data.jsonl", 0, 1_000)
        update("data.jsonl", 500, 1_000)
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "sim/good on letters: 2 of 2 graded\ndata.jsonl: 0 of 1,000 bytes\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("benchmarks",),
        ("data", "list"),
        ("datasets", "list"),
        ("models",),
        ("list",),
        ("show", "aaaa"),
        ("run", "sim/good", "mmlu_pro,ifeval", "--data", "demo", "--count", "1", "--dry-run"),
    ],
    ids=" ".join,
)
def test_every_listing_fits_a_narrow_terminal(
    assay: CommandLine, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    name = "a-file-with-a-rather-long-name-that-somebody-chose-without-thinking.jsonl"
    (tmp_path / name).write_text(LINE % "a")
    assay.printed("datasets", "add", name)
    model = "openai-api/gateway/organisation/a-model-with-a-very-long-name-instruct-2026-11"
    run = run_named("aaaa0001")
    assay.add_run(run=run, evaluation=Seeded(run, "long").evaluation(model=model, benchmark="b" * 60))
    # What stands above the estimate are prompts, which are printed as they are.
    lines = assay.printed(*arguments).rpartition("Estimate ")[2].splitlines()
    assert [line for line in lines if len(line.rstrip()) > 80] == []
    assert all(word in "\n".join(lines) for word in WHOLE.get(arguments, ()))


@pytest.mark.usefixtures("assay")
def test_errors_are_wrapped_between_words(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys, "argv", ["assay", "run", "opnai/gpt", "mmlu_pro", "--data", "demo"])
    with pytest.raises(SystemExit):
        main()
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) > 1
    assert max(map(len, lines)) <= 80
    assert "did you mean 'openai' or 'openai-api'?; models are named provider/model" in " ".join(
        " ".join(lines).split()
    )


def test_what_a_server_says_does_not_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    evaluation = Seeded().evaluation()
    limiter = AdaptiveLimiter(ManualClock(), maximum=8)
    traffic = Traffic(limiter, "http://h/v1", waiting=1, reason="busy \x1b[2J\r now")
    with live_progress([evaluation], {evaluation.id: Tally()}, quiet=False) as observer:
        for _ in range(2):
            observer.waiting_to_retry(evaluation, traffic)
    noted = capsys.readouterr().err
    assert noted.count("busy \\x1b[2J\\r now") == 1, "the same reason is not repeated at once"
    assert "in flight: 0 of 8)" in noted


def test_json_on_a_terminal_steers_it_as_little(capsys: pytest.CaptureFixture[str]) -> None:
    document = {"said": "\x1b[2J\x9b31m\u202e"}
    write_json(document)
    said = capsys.readouterr().out
    assert not set("\x1b\x9b\u202e") & set(said)
    assert json.loads(said) == document


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_answers_to_a_data_set_do_not_steer_the_terminal(assay: CommandLine, form: str) -> None:
    run = Seeded().run
    answered = attempt(answer="a \x1b[2J\x9b31m b")
    evaluation = Seeded(run, "long").evaluation(benchmark="dataset:capitals@1")
    assay.add_run([answered], run=run, evaluation=evaluation, state=State.SUCCEEDED)
    ours, theirs = os.openpty()
    try:
        command = [sys.executable, "-m", "assay", "datasets", "results", run.id, "--format", form]
        subprocess.run(command, stdout=theirs, timeout=60, check=True)
        shown = os.read(ours, 100_000).decode()
    finally:
        os.close(ours)
        os.close(theirs)
    assert "31m b" in shown
    assert not set("\x1b\x9b") & set(shown)


_LOGGED = """
import logging, sys
from assay.cli.main import main
sys.argv[1:] = ["--version"]
try:
    main()
finally:
    logging.getLogger("x").warning("it sent %s", chr(27) + "[2J sk-0123456789")
"""


def test_what_a_command_logs_does_not_steer_the_terminal() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _LOGGED], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stderr == "it sent \\x1b[2J [key]\n"


def test_bars_show_their_figures_beside_long_names(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    evaluation = Seeded().evaluation(model="m" * 90)
    stored = Tally()
    stored.add(attempt("0", score=0.0))
    stored.add(attempt("1", outcome=Outcome.TIMEOUT, score=None))
    with live_progress([evaluation], {evaluation.id: stored}, quiet=False) as observer:
        observer.attempt_ended(evaluation, attempt("2"))
    drawn = capsys.readouterr().err
    assert "mmm…" in drawn
    assert "3/4" in drawn
    assert "1 timeout" in drawn
    assert stored.note == "1 timeout  score 50.0 %", "of the attempts stored before, too"
