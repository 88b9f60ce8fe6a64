"""Retries are decided by the error's class, Retry-After and a deadline."""

import pytest

from assay.domain.errors import (
    AttemptError,
    BadReplyError,
    CallError,
    CallTimeoutError,
    ConnectionFailedError,
    DataError,
    GraderError,
    RateLimitedError,
    RejectedError,
    SandboxError,
    ServerError,
)
from assay.domain.outcome import Outcome
from assay.engine.models.retry import RetryPolicy, next_delay_s, outcome_of

POLICY = RetryPolicy(first_delay_s=1, max_delay_s=8, deadline_s=60, doubtful_tries=3)


@pytest.mark.parametrize("kind", [RateLimitedError, ServerError, ConnectionFailedError])
def test_a_busy_or_absent_endpoint_is_waited_for_until_the_deadline(kind: type[CallError]) -> None:
    assert next_delay_s(POLICY, kind("busy"), tries=40, elapsed_s=51) == 8
    assert next_delay_s(POLICY, kind("busy"), tries=40, elapsed_s=53) is None


def test_the_delay_doubles_up_to_its_maximum() -> None:
    delays = [next_delay_s(POLICY, ServerError("down"), tries=tries, elapsed_s=0) for tries in range(1, 6)]
    assert delays == [1, 2, 4, 8, 8]


def test_retry_after_is_honoured_even_beyond_the_maximum_delay() -> None:
    error = RateLimitedError("slow down", status=429, retry_after_s=20)
    assert next_delay_s(POLICY, error, tries=1, elapsed_s=0) == 20


@pytest.mark.parametrize("kind", [CallTimeoutError, BadReplyError])
def test_a_bad_answer_is_asked_for_again_a_few_times(kind: type[CallError]) -> None:
    assert next_delay_s(POLICY, kind("odd"), tries=2, elapsed_s=0) == 2
    assert next_delay_s(POLICY, kind("odd"), tries=3, elapsed_s=0) is None


def test_a_refused_request_is_not_repeated() -> None:
    assert next_delay_s(POLICY, RejectedError("bad request", status=400), tries=1, elapsed_s=0) is None


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (RateLimitedError("x"), Outcome.RATE_LIMITED),
        (CallTimeoutError("x"), Outcome.TIMEOUT),
        (ServerError("timeout"), Outcome.MODEL_ERROR),
        (RejectedError("429"), Outcome.MODEL_ERROR),
        (GraderError("x"), Outcome.GRADER_ERROR),
        (SandboxError("x"), Outcome.SANDBOX_ERROR),
        (DataError("x"), Outcome.DATA_ERROR),
    ],
)
def test_the_outcome_follows_the_class_and_not_the_text(error: AttemptError, outcome: Outcome) -> None:
    assert outcome_of(error) is outcome


@pytest.mark.parametrize("error", [RateLimitedError("busy"), BadReplyError("broken")])
def test_a_run_may_limit_the_retries_of_every_error(error: CallError) -> None:
    limited = POLICY.limited_to(1)
    assert next_delay_s(limited, error, tries=1, elapsed_s=0) is not None
    assert next_delay_s(limited, error, tries=2, elapsed_s=0) is None
    assert next_delay_s(POLICY.limited_to(0), error, tries=1, elapsed_s=0) is None
    assert POLICY.limited_to(None) == POLICY


def test_a_run_may_ask_for_more_tries_at_an_endpoint_that_answers_badly() -> None:
    assert next_delay_s(POLICY.limited_to(5), BadReplyError("broken"), tries=5, elapsed_s=0) is not None
