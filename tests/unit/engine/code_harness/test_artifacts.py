"""The files of one attempt."""

import json
from dataclasses import replace
from datetime import timedelta

from assay.domain.attempt import Call
from assay.domain.calls.messages import Message, Prompt
from assay.domain.outcome import Outcome
from assay.engine.code_harness.artifacts import attempt_files
from assay.engine.code_harness.attempts import CodeAttempt
from tests.builders import NOON
from tests.unit.engine.code_harness.builders import attempt_of, code_run_of, evaluation_of

PROMPT = Prompt((Message("system", "Be brief."), Message("user", "Fix it."))).to_json()
KEY = "sk-abcdefgh12345678"
DETAILS = {
    "answer": {"patch": "+pk_unique_name = 1\n", "fallback": None},
    "stdout": "o" * 30_000,
    "stderr": f"Bearer {KEY}",
    "tests": [
        {"name": "first", "result": "passed", "message": ""},
        {"name": "second", "result": "failed", "message": "observation 1 is 2, expected 3"},
    ],
}


def made(outcome: Outcome, **changes: object) -> CodeAttempt:
    evaluation = evaluation_of(code_run_of(), {})
    attempt = replace(
        attempt_of(evaluation, "a_task", outcome),
        prompt=PROMPT,
        answer=f"```diff\n{KEY}\n```",
        explanation="passed 1 of 2 tests",
        **changes,  # pyright: ignore[reportArgumentType] # fields of an attempt
    )
    return CodeAttempt(evaluation, attempt, "folder")


def test_a_failed_attempt_has_prompt_response_patch_logs_and_error() -> None:
    files = attempt_files(made(Outcome.INCORRECT, details=DETAILS))
    assert set(files) == {
        "prompt.txt", "response.txt", "response.json", "patch.diff", "stdout.log", "stderr.log", "error.log",
    }  # fmt: skip
    assert files["prompt.txt"] == "[system]\nBe brief.\n\n[user]\nFix it.\n"
    assert json.loads(files["response.json"])["answer"] == files["response.txt"]
    assert files["error.log"] == (
        "failed: passed 1 of 2 tests\nfailed second: observation 1 is 2, expected 3\n"
    )


def test_logs_are_cut_and_hide_what_looks_like_a_key_and_code_is_left_alone() -> None:
    files = attempt_files(made(Outcome.INCORRECT, details=DETAILS))
    assert len(files["stdout.log"]) == 20_000
    assert files["stderr.log"] == "Bearer [key]"
    assert files["patch.diff"] == "+pk_unique_name = 1\n"


def test_known_secrets_are_in_no_file() -> None:
    files = attempt_files(made(Outcome.INCORRECT, details=DETAILS), secrets=[KEY])
    assert not any(KEY in text for text in files.values())
    assert "[key]" in files["response.txt"]


def test_a_passed_attempt_has_no_error_log() -> None:
    assert "error.log" not in attempt_files(made(Outcome.CORRECT, details=DETAILS))


def test_a_reply_that_never_came_leaves_the_prompt_and_the_errors_of_its_calls() -> None:
    calls = (Call(NOON, 10.0, status=500, error_message="overloaded"),)
    away = made(
        Outcome.MODEL_ERROR, calls=calls, error_message="gave up", finished_at=NOON + timedelta(seconds=1)
    )
    files = attempt_files(away)
    assert set(files) == {"prompt.txt", "error.log"}
    assert files["error.log"] == "api_error: gave up\ncall 1: overloaded\n"


def test_the_rewrite_fallback_has_a_log_where_it_was_used() -> None:
    details = {**DETAILS, "answer": {"patch": "", "fallback": "rewrite"}}
    assert "diff_rewrite_fallback.log" in attempt_files(made(Outcome.CORRECT, details=details))
    details["answer"] = {"patch": "", "fallback": "incomplete"}
    assert "diff_rewrite_fallback.log" not in attempt_files(made(Outcome.CORRECT, details=details))
