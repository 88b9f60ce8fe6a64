"""`show`, `list` and `items` say why attempts failed, in 80 columns and without raw control characters."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

from assay.domain.calls.messages import Generation
from assay.domain.event import Event, EventType
from assay.domain.outcome import Outcome
from assay.domain.run import Budget, RunSpec, State
from assay.domain.summary import Summary, Tokens
from tests.builders import FINGERPRINT, NOON, Seeded, attempt
from tests.unit.cli.conftest import CommandLine, run_named

COLUMNS = 80
LONG_NAME = "openai-api/some-gateway/organisation/a-model-with-a-very-long-name-instruct-2026-11"
REJECTED = "'http://host/v1' answered 400: \x1b[31mInvalid API key\x1b[0m\r"
FAILED = (
    attempt("0", extracted="B"),
    attempt("1", outcome=Outcome.MODEL_ERROR, score=None, error_code="rejected", error_message=REJECTED),
    attempt(
        "2",
        outcome=Outcome.MODEL_ERROR,
        score=None,
        error_code="rejected",
        error_message="a later message",
        finished_at=NOON + timedelta(seconds=9),
    ),
    attempt("3", outcome=Outcome.TIMEOUT, score=None, error_code="timeout", error_message="sent nothing"),
)
SUMMARY = Summary(
    score=None,
    scored=1,
    total=4,
    outcomes={Outcome.CORRECT: 1, Outcome.MODEL_ERROR: 2, Outcome.TIMEOUT: 1},
    bounds=None,
    cut=0,
    tokens=Tokens(input=1_234, output=56),
    cost_usd=Decimal("0.25"),
    latency={"ttft_ms": {"p50": 120.0, "p90": 340.0, "p99": 900.0, "max": 1_500.0, "n": 4}},
)


def store_failures(assay: CommandLine) -> str:
    spec = RunSpec(
        (LONG_NAME,), ("letters",), max_connections=3, budget=Budget(usd=Decimal("2.5"), tokens=9_000)
    )
    run = run_named("abcd1234", spec=spec)
    evaluation = Seeded(run, "failing").evaluation(
        model=LONG_NAME, summary=SUMMARY, generation=Generation(temperature=0.0, max_tokens=16_384)
    )
    assay.add_run(FAILED, run=run, evaluation=evaluation, state=State.SUCCEEDED)
    return run.id


def fits(text: str) -> bool:
    return all(len(line.rstrip()) <= COLUMNS for line in text.splitlines())


def test_show_has_outcomes_the_first_message_of_each_kind_and_all_figures(assay: CommandLine) -> None:
    shown = assay.printed("show", store_failures(assay))
    flat = " ".join(shown.split())
    assert "outcomes: 1 correct, 2 model_error, 1 timeout" in flat
    assert (
        r"2 model_error (rejected), the first: 'http://host/v1' answered 400: \x1b[31mInvalid API key" in flat
    )
    assert "1 timeout (timeout), the first: sent nothing" in flat
    assert "a later message" not in shown
    assert "tokens: 1,234 in, 56 out; cost $0.2500" in flat
    assert "time to first token: p50 120 ms, p90 340 ms, max 1.5 s" in flat
    assert "settings: temperature 0, max_tokens 16,384, 4 of 4 items" in flat
    assert "limits: at most 3 calls at once, $2.5, 9,000 tokens" in flat
    assert "\x1b" not in shown
    assert "\r" not in shown
    assert fits(shown)


def test_list_has_the_messages_and_fits(assay: CommandLine) -> None:
    store_failures(assay)
    listed = assay.printed("list")
    flat = " ".join(listed.split())
    assert "2 model_error (rejected), the first: 'http://host/v1' answered 400" in flat
    assert "warning: 3 of 4 attempts ended in error (2 model_error, 1 timeout)" in flat
    assert fits(listed)
    assert "120 ms" in CommandLine(250).printed("list")


def test_json_has_the_kinds_of_errors(assay: CommandLine) -> None:
    [evaluation] = assay.json("show", store_failures(assay))["evaluations"]
    assert evaluation["completed"] == 4
    assert [(one["outcome"], one["code"], one["count"]) for one in evaluation["errors"]] == [
        ("model_error", "rejected", 2),
        ("timeout", "timeout", 1),
    ]


def test_items_are_found_by_outcome_and_by_text(assay: CommandLine) -> None:
    run_id = store_failures(assay)
    listed = assay.printed("items", run_id)
    assert fits(listed)
    assert "\x1b" not in listed
    rows = [line.split() for line in listed.splitlines()]
    assert ["ITEM", "OUTCOME", "SCORE", "ANSWER", "OR", "ERROR"] in rows, "the model is said above the table"
    assert ["0", "correct", "1", "B"] in rows
    failed = assay.json("items", run_id, "--outcome", "model_error")
    assert [one["item_id"] for one in failed["items"]] == ["1", "2"]
    assert [one["item_id"] for one in assay.json("items", run_id, "--search", "LATER")["items"]] == ["2"]
    limited = assay.printed("items", run_id, "--limit", "1")
    assert "3 more" in limited
    assert assay.printed("items", run_id, "--search", "zzz") == "no attempt of run abcd1234 matches\n"
    assert "no outcome 'fail'; there are correct" in assay.error("items", run_id, "--outcome", "fail")
    assert "`assay items abcd1234` lists them" in assay.error("show", run_id, "--item", "9")


def test_an_item_is_shown_without_python_values(assay: CommandLine) -> None:
    prompt = '[{"role": "user", "content": [{"type": "text", "text": "What is \\u001b[2J this?"}]}]'
    run = assay.add_run([replace(one, prompt=prompt) for one in FAILED])
    shown = assay.printed("show", run.id, "--item", "1")
    assert "What is \\x1b[2J this?" in shown
    assert "outcome model_error (rejected), no score" in shown
    assert "error: 'http://host/v1' answered 400" in shown
    assert not [one for one in ("None", "{'", "['", "\x1b") if one in shown]
    assert "extracted: B" in assay.printed("show", run.id, "--item", "0")


def test_messages_about_gated_items_are_hidden_until_asked_for(assay: CommandLine) -> None:
    run = run_named("aaaa1111")
    official = replace(FINGERPRINT, data_revision="hub:0123abc")
    evaluation = Seeded(run, "gated").evaluation(benchmark="gpqa_diamond", fingerprint=official)
    assay.add_run(FAILED, run=run, evaluation=evaluation)
    assert "sent nothing" not in assay.printed("show", run.id) + assay.printed("list")
    assert "sent nothing" in assay.printed("show", run.id, "--reveal")
    assert "add --reveal" in assay.error("items", run.id, "--search", "nothing")


def test_a_run_that_has_not_ended_shows_how_far_it_is(assay: CommandLine) -> None:
    run = assay.add_run(FAILED[:1], state=State.RUNNING)
    assert "1 of 4 attempts done\n" in assay.printed("list"), "how fast it is is not known yet"
    evaluation = Seeded().evaluation()
    data = {"requests_per_s": 0.01}
    progress = Event(
        run.id, EventType.BENCHMARK_PROGRESS, NOON, "", evaluation.benchmark, evaluation.model, data
    )
    assay.stores(lambda stores: stores.events.add([progress]))
    # Though it was started long ago: it may have been paused in between.
    assert "1 of 4 attempts done, about 5 min left" in assay.printed("list")
    assert "1 of 4 attempts done, about 5 min left" in assay.printed("show", "0000")
    assert assay.json("show", "0000")["evaluations"][0]["completed"] == 1


def test_a_filter_that_matches_nothing_does_not_deny_the_runs(assay: CommandLine) -> None:
    assert "no runs yet" in assay.printed("list")
    assay.add_run()
    assert (
        assay.printed("list", "--model", "zzz")
        == "no run matches (1 run in all); list them with: assay list\n"
    )
