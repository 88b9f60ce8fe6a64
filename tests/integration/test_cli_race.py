"""`assay race` and `assay run --stop-when` as users run them."""

import json
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.cli import TIMEOUT_S, Assay
from tests.integration.test_cli_deciding import stored_attempts

GOOD, WEAK = "sim/good?delay_ms=60", "sim/good?delay_ms=60&skill=0.5"
ITEMS = 240


@pytest.fixture
def assay(tmp_path: Path) -> Assay:
    assay = Assay(tmp_path / "home")
    lines = [{"prompt": f"What is {n} times 7?", "expected": str(7 * n)} for n in range(ITEMS)]
    (tmp_path / "sums.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert assay("datasets", "add", "sums.jsonl").returncode == 0
    return assay


def settled(run: dict[str, Any]) -> tuple[Any, ...]:
    [contest] = run["race"]["contests"]
    scores = [(one["score"], one["interval"]["low"], one["stopped"]) for one in run["evaluations"]]
    return contest["verdict"], contest["decided_after"], contest["sequence"], scores


def test_pause_kill_and_resume_change_nothing_in_the_decision(assay: Assay) -> None:
    asked = (GOOD, WEAK, "dataset:sums")
    whole = assay.json("race", *asked, "--max-connections", "8")
    verdict, after, *_ = settled(whole)
    assert verdict == "better"
    assert 8 < after < ITEMS / 2
    before = stored_attempts(assay)

    process = assay.start("race", *asked, "--max-connections", "2")
    wait_until(lambda: stored_attempts(assay) >= before + 6, process)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=TIMEOUT_S)
    [run_id] = [one["run_id"] for one in assay.json("list")["runs"] if one["status"] == "paused"]
    paused = stored_attempts(assay)
    process = assay.start("resume", run_id)
    try:
        wait_until(lambda: stored_attempts(assay) >= paused + 4, process)
    finally:
        process.kill()
        process.communicate(timeout=TIMEOUT_S)
    killed = stored_attempts(assay)
    resumed = assay.json("resume", run_id)
    assert resumed["status"] == "succeeded"
    assert stored_attempts(assay) > killed, "the race was decided before it was killed"
    assert settled(resumed) == settled(whole)
    text = assay("show", run_id).stdout
    assert f"stopped: decided after {after} of {ITEMS} items" in " ".join(text.split())


def wait_until(is_met: Callable[[], bool], process: Any) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while not is_met():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_run_stops_at_a_bar_and_says_what_it_saved(assay: Assay) -> None:
    done = assay("run", GOOD, "dataset:sums", "--stop-when", "score > 0.5")
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    assert f"{GOOD} is above the bar of 0.5 on dataset:sums@1: decided after" in text
    assert "attempts made: saved" in text


def test_what_is_no_race_is_refused(tmp_path: Path) -> None:
    code, error = Assay(tmp_path / "home").failure("race", "sim/good", "mmlu_pro")
    assert code == 2
    assert "two models or more" in error
