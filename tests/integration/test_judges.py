"""Judges behind a real endpoint that misbehaves, and the commands around them."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from assay.adapters.datasets.library import FileDataLibrary
from assay.adapters.models.directory import HttpModelDirectory
from assay.adapters.simserver.app import running
from assay.benchmarks.aa_lcr.task import benchmark as aa_lcr
from assay.benchmarks.hle.task import benchmark as hle
from assay.cli.main import app
from assay.domain.attempt import Attempt
from assay.domain.errors import InvalidValueError
from assay.domain.judging import Judging
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation, RunSpec, State, Subset
from assay.engine.execution.create import create_run
from assay.engine.execution.run_loop import execute_run
from assay.engine.execution.shards import Observer
from assay.engine.models.retry import RetryPolicy
from assay.engine.models.traffic import Traffic
from assay.engine.planning.catalogue import Catalogue
from assay.engine.stores.attempts import AttemptFilter
from tests.builders import World, rewired

QUICK = RetryPolicy(first_delay_s=0.001, max_delay_s=0.002, deadline_s=0.01, doubtful_tries=2)


async def judged(
    *judges: str, benchmark: str = "aa_lcr", timeout_s: float = 5.0, observer: Observer | None = None
) -> tuple[State, Evaluation, tuple[Attempt, ...]]:
    """Six answers of a good model, judged by models behind the test endpoint or simulated ones."""
    world = World()
    engine = rewired(
        world.engine,
        catalogue=Catalogue({"aa_lcr": aa_lcr, "hle": hle}),
        library=FileDataLibrary(Path("unused")),
        models=HttpModelDirectory({}),
        retries=QUICK,
    )
    async with running() as base_url:
        judging = Judging(judges, base_url=base_url, timeout_s=timeout_s)
        spec = RunSpec(
            ("sim/oracle",),
            (benchmark,),
            subset=Subset(count=6),
            data="demo",
            judge=judging,
            max_connections=6,
        )
        run = await execute_run(engine, (await create_run(engine, spec)).id, observer=observer)
    [evaluation] = await world.store.runs.evaluations(run.id)
    page = await world.store.attempts.page(evaluation.id, AttemptFilter())
    return (
        run.state,
        evaluation,
        tuple([await world.store.attempts.get(evaluation.id, one.key) for one in page]),
    )


async def test_a_judge_behind_an_endpoint_decides() -> None:
    state, evaluation, attempts = await judged("vllm/test/fixed?text=CORRECT")
    assert state is State.SUCCEEDED
    assert {one.outcome for one in attempts} == {Outcome.CORRECT}
    assert evaluation.summary is not None
    assert evaluation.summary.judge_tokens is not None
    assert evaluation.summary.judge_tokens.input > 0


@pytest.mark.parametrize(
    ("judge", "reason"),
    [
        ("vllm/test/broken", "answered 500"),
        ("vllm/test/stall?stall_ms=60000", "no whole reply within 0.05 s"),
        ("vllm/test/fixed?text=I would say it is CORRECT", "the judge's reply is no verdict"),
        ("vllm/test/fixed?text=CORRECT&finish=length", "was cut at its token cap"),
        ("vllm/test/cut", "gave no reply"),
        ("sim/null", "the judge's reply is no verdict"),
    ],
)
async def test_a_judge_that_fails_ends_attempts_and_not_the_run(judge: str, reason: str) -> None:
    _, evaluation, attempts = await judged(judge, timeout_s=0.05 if "stall" in judge else 5.0)
    assert len(attempts) == 6
    for one in attempts:
        assert (one.outcome, one.score, one.error_code) == (Outcome.GRADER_ERROR, None, "grader")
        assert reason in (one.error_message or "")
        assert one.answer
        assert "judge" in {call.role for call in one.calls}
    summary = evaluation.summary
    assert summary is not None
    assert (summary.score, summary.scored, summary.total) == (None, 0, 6)
    assert summary.bounds is not None
    assert (summary.bounds.low, summary.bounds.high) == (0.0, 1.0)


async def test_a_judge_that_fails_sometimes_leaves_a_score_that_shows_what_is_missing() -> None:
    state, evaluation, attempts = await judged("vllm/test/fixed?text=CORRECT&status=400&every=3")
    failed = sum(one.outcome is Outcome.GRADER_ERROR for one in attempts)
    assert failed > 0
    assert state is State.SUCCEEDED
    assert evaluation.summary is not None
    assert (evaluation.summary.scored, evaluation.summary.total) == (6 - failed, 6)


async def test_progress_says_that_calls_to_a_judge_are_repeated() -> None:
    reasons: list[str | None] = []

    class Retries(Observer):
        def waiting_to_retry(self, evaluation: Evaluation, traffic: Traffic) -> None:
            assert evaluation.benchmark == "aa_lcr"
            reasons.append(traffic.reason)

    await judged("vllm/test/fixed?text=CORRECT&status=429&every=3", observer=Retries())
    assert "answered 429" in (reasons[0] or "")


async def test_one_failing_judge_of_three_is_outvoted() -> None:
    state, evaluation, attempts = await judged("sim/judge", "vllm/test/fixed?text=CORRECT", "sim/refuse")
    assert state is State.SUCCEEDED
    assert {one.outcome for one in attempts} == {Outcome.CORRECT}
    assert evaluation.summary is not None
    assert evaluation.summary.agreement is not None
    assert (evaluation.summary.agreement.votes, evaluation.summary.agreement.failed) == (12, 6)


async def test_a_server_without_reply_forms_is_asked_without() -> None:
    _, _, attempts = await judged(
        "vllm/test/fixed?text=correct: yes&rejects=response_format", benchmark="hle"
    )
    assert {one.outcome for one in attempts} == {Outcome.CORRECT}
    assert all(one.details["confidence"] == 100 for one in attempts)


async def test_a_judge_that_cannot_be_asked_stops_the_evaluation_at_once() -> None:
    state, evaluation, attempts = await judged("openai/gpt-none")
    assert (state, attempts) == (State.FAILED, ())
    error = evaluation.error or ""
    assert error.startswith("'openai/gpt-none', which judges or plays the user, cannot be asked: ")
    assert error.endswith("has no model 'gpt-none'")


def command(home: Path, *words: str) -> Result:
    return CliRunner().invoke(app, words, env={"ASSAY_HOME": str(home)})


def test_the_commands_around_a_judged_run(tmp_path: Path) -> None:
    refused = command(tmp_path, "run", "sim/good", "aa_lcr", "--data", "demo")
    assert isinstance(refused.exception, InvalidValueError)
    assert "give one with --judge MODEL" in refused.exception.message
    ran = command(tmp_path, "run", "sim/good", "aa_lcr", "--data", "demo", "--judge", "sim/judge", "--json")
    run = json.loads(ran.stdout)
    [evaluation] = run["evaluations"]
    assert (evaluation["judge"], evaluation["judge_cost_usd"]) == ("sim/judge", None)
    assert evaluation["judge_tokens"]["input"] > 0
    assert command(tmp_path, "annotate", run["run_id"], "s01", "golden", "--author", "ada").exit_code == 0
    scored = command(
        tmp_path, "score", run["run_id"][:8], "--judge", "sim/judge?skill=0", "--judge-votes", "3"
    )
    assert scored.exit_code == 0, scored.stderr
    assert "before: 90.9 %" in scored.stdout
    assert "after:  9.1 %" in scored.stdout
    assert "Cohen's kappa" in scored.stdout
    assert "Krippendorff's alpha" in scored.stdout
    listed = json.loads(command(tmp_path, "annotations", run["run_id"], "--json").stdout)
    assert [one["label"] for one in listed["annotations"]] == ["golden"]
    assert listed["agreement"][0]["n"] == 1
    again = json.loads(command(tmp_path, "score", run["run_id"], "--json").stdout)
    assert again["judgements"][0]["changes"]["changed"] == []
    removed = command(tmp_path, "annotations", run["run_id"], "--remove", "1", "--json")
    assert json.loads(removed.stdout) == {"annotations": [], "agreement": []}


def test_answers_made_elsewhere_are_judged(tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    said = (
        {"item": "s01", "response": "Tern Line, 60"},
        {"item": "s02", "response": "5", "judge": "CORRECT"},
    )
    answers.write_text("".join(json.dumps(one) + "\n" for one in said))
    words = ("grade", "aa_lcr", "--data", "demo", "--answers", str(answers))
    refused = command(tmp_path, *words)
    assert isinstance(refused.exception, InvalidValueError)
    done = command(tmp_path, *words, "--judge", "sim/judge")
    *verdicts, last = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["outcome"] for one in verdicts] == ["correct", "correct"]
    assert last["summary"]["judge_tokens"]["output"] > 0
