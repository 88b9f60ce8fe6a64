"""Functions in place of endpoints: whatever they do is the outcome of one attempt, and stops nothing else."""

import asyncio
import threading
import time
from collections.abc import Callable, Generator
from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from assay.adapters.models.directory import HttpModelDirectory
from assay.adapters.models.local_code import (
    Function,
    LocalCodeDirectory,
    LocalCodeModel,
    Messages,
    code_label,
)
from assay.domain.benchmark import Need
from assay.domain.calls.messages import Completion, Generation, Message, Prompt, Usage
from assay.domain.errors import (
    AttemptError,
    BadReplyError,
    CallTimeoutError,
    EndpointError,
    InvalidValueError,
    LocalCodeError,
    RateLimitedError,
    RejectedError,
    UnsupportedError,
)
from assay.engine.models.retry import RetryPolicy, next_delay_s, outcome_of
from assay.engine.ports import Request
from assay.python_api.coroutines import CallersLoop, OwnLoop

ASKED = Request(Prompt((Message("system", "Be brief."), Message("user", "2 + 2?"))), Generation())
SECRET = "sk-" + "a" * 30


@pytest.fixture
def loop() -> Generator[OwnLoop]:
    loop = OwnLoop()
    yield loop
    loop.close()


def returning(value: object) -> Callable[[Messages], Any]:
    def function(messages: Messages) -> object:
        _ = messages
        return value

    return function


def model_of(function: Any, loop: OwnLoop | CallersLoop, timeout_s: float = 10.0) -> LocalCodeModel:
    return LocalCodeModel("local/f", function, coroutines=loop, timeout_s=timeout_s)


async def error_of(function: Any, loop: OwnLoop, timeout_s: float = 10.0) -> AttemptError:
    with pytest.raises(AttemptError) as caught:
        await model_of(function, loop, timeout_s).complete(ASKED)
    return caught.value


def echo(messages: Messages) -> str:
    return " / ".join(f"{one['role']}: {one['content']}" for one in messages)


async def echo_later(messages: Messages) -> str:
    await asyncio.sleep(0)
    return echo(messages)


class Pipeline:
    def __call__(self, messages: Messages) -> str:
        return echo(messages)


class AsyncPipeline:
    async def __call__(self, messages: Messages) -> str:
        return echo(messages)


def tagged(prefix: str, messages: Messages) -> str:
    return prefix + echo(messages)


KINDS: dict[str, Function] = {
    "function": echo,
    "async function": echo_later,
    "function that returns a coroutine": lambda messages: echo_later([*messages]),
    "object": Pipeline(),
    "async object": AsyncPipeline(),
    "partial": partial(tagged, ""),
}


@pytest.mark.parametrize("kind", KINDS)
async def test_every_kind_of_callable_gets_the_messages_and_answers(kind: str, loop: OwnLoop) -> None:
    done = await model_of(KINDS[kind], loop).complete(ASKED)
    assert (done.answer, done.finish_reason) == ("system: Be brief. / user: 2 + 2?", "stop")
    assert done.timing is not None
    assert done.timing.duration_ms > 0


async def test_a_completion_keeps_what_is_known_of_it(loop: OwnLoop) -> None:
    usage = Usage(input_tokens=3, output_tokens=4, reported_cost_usd=Decimal(1))
    given = Completion("4", reasoning="easy", finish_reason="length", refusal=None, usage=usage)
    done = await model_of(returning(given), loop).complete(ASKED)
    assert (done.answer, done.reasoning, done.is_cut) == ("4", "easy", True)
    assert done.usage == Usage(input_tokens=3, output_tokens=4)


async def test_reasoning_in_tags_is_kept_apart_as_that_of_an_endpoint(loop: OwnLoop) -> None:
    done = await model_of(returning("<think>two and two</think>4"), loop).complete(ASKED)
    assert (done.answer, done.reasoning) == ("4", "two and two")


def fails(_: Messages) -> str:
    raise KeyError(f"no such thing, {SECRET}")


async def fails_later(_: Messages) -> str:
    raise KeyError("no such thing")


@pytest.mark.parametrize("function", [fails, fails_later])
async def test_an_exception_is_said_with_the_last_line_of_its_traceback(
    function: Function, loop: OwnLoop
) -> None:
    error = await error_of(function, loop)
    assert isinstance(error, LocalCodeError)
    assert "raised KeyError: 'no such thing" in error.message
    assert "(test_local_code.py, line " in error.message
    assert SECRET not in error.message
    assert "/" not in error.message.removeprefix("'local/f'")
    assert outcome_of(error) == "model_error"
    assert next_delay_s(RetryPolicy(), error, tries=1, elapsed_s=0) is None, "a bug stays one"


@pytest.mark.parametrize("kind", [SystemExit, StopIteration, GeneratorExit, RecursionError, TimeoutError])
async def test_no_exception_gets_out_of_the_attempt(kind: type[BaseException], loop: OwnLoop) -> None:
    def raises(_: Messages) -> str:
        raise kind

    async def raises_later(_: Messages) -> str:
        raise kind

    assert kind.__name__ in (await error_of(raises, loop)).message
    if kind is not StopIteration:  # Python turns it into a RuntimeError by itself
        assert kind.__name__ in (await error_of(raises_later, loop)).message


async def test_a_function_that_cancels_itself_ends_its_attempt_alone(loop: OwnLoop) -> None:
    async def cancels(_: Messages) -> str:
        raise asyncio.CancelledError

    assert isinstance(await error_of(cancels, loop), LocalCodeError)


async def test_errors_of_the_tree_mean_what_they_say(loop: OwnLoop) -> None:
    def limited(_: Messages) -> str:
        raise RateLimitedError("later", retry_after_s=3)

    error = await error_of(limited, loop)
    assert isinstance(error, RateLimitedError)
    assert next_delay_s(RetryPolicy(), error, tries=1, elapsed_s=0) == 3


async def test_other_errors_of_ours_do_not_end_the_evaluation(loop: OwnLoop) -> None:
    def unusable(_: Messages) -> str:
        raise EndpointError("gone")

    assert isinstance(await error_of(unusable, loop), LocalCodeError)


async def test_a_coroutine_that_blocks_its_loop_is_given_up_and_holds_up_nobody(loop: OwnLoop) -> None:
    release = threading.Event()

    async def blocks(_: Messages) -> str:
        return str(release.wait(60))

    error = await error_of(blocks, loop, timeout_s=0.05)
    assert not release.is_set(), "the time-out came while the function still blocked its own loop"
    release.set()
    assert isinstance(error, CallTimeoutError)
    assert "did not return within 0.05 s" in error.message


async def test_a_coroutine_is_cancelled_when_its_attempt_is_given_up(loop: OwnLoop) -> None:
    has_begun, is_cancelled = threading.Event(), threading.Event()

    async def waits(_: Messages) -> str:
        has_begun.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            is_cancelled.set()
            raise
        return ""

    attempt = asyncio.create_task(model_of(waits, loop, timeout_s=60).complete(ASKED))
    assert await asyncio.to_thread(has_begun.wait, 60)
    attempt.cancel()
    with pytest.raises(asyncio.CancelledError):
        await attempt
    assert await asyncio.to_thread(is_cancelled.wait, 60)


async def test_threads_that_never_return_are_counted_and_then_end_the_evaluation(
    loop: OwnLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.adapters.models.local_code._MOST_HUNG", 2)
    release = threading.Event()

    def waits(_: Messages) -> str:
        return str(release.wait(60))

    model = model_of(waits, loop, 0.05)
    for _ in range(2):
        with pytest.raises(CallTimeoutError):
            await model.complete(ASKED)
    with pytest.raises(EndpointError, match="2 calls of 'local/f' have not returned"):
        await model.complete(ASKED)
    release.set()
    deadline = time.monotonic() + 60
    while any(thread.name == "assay local/f" for thread in threading.enumerate()):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)
    assert (await model.complete(ASKED)).answer == "True", "they have returned"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "returned NoneType, not str or assay.Completion"),
        (4, "returned int"),
        (Completion(4), "whose answer is no str"),  # pyright: ignore[reportArgumentType] # users make mistakes
        (Completion("", usage=3), "whose usage is no assay.Usage"),  # pyright: ignore[reportArgumentType] # likewise
        (Completion("", usage=Usage(input_tokens=-1)), "no whole numbers"),
        (Completion("", usage=Usage(output_tokens=2**63)), "no whole numbers"),
    ],
)
async def test_what_is_no_reply_is_said_to_be_none(value: object, said: str, loop: OwnLoop) -> None:
    error = await error_of(returning(value), loop)
    assert isinstance(error, BadReplyError)
    assert said in error.message


async def test_items_that_send_tools_are_refused(loop: OwnLoop) -> None:
    model = model_of(echo, loop)
    with pytest.raises(UnsupportedError, match="this benchmark sends tools"):
        await model.check(frozenset({Need.TOOLS}))
    body = Prompt.of_body({"messages": [{"role": "user", "content": "x"}], "tools": []})
    with pytest.raises(RejectedError, match="messages alone"):
        await model.complete(Request(body, Generation()))


async def test_async_functions_may_run_on_the_loop_of_their_caller() -> None:
    here = asyncio.get_running_loop()

    async def where(_: Messages) -> str:
        return str(asyncio.get_running_loop() is here)

    assert (await model_of(where, CallersLoop()).complete(ASKED)).answer == "True"


def test_the_label_names_the_code_and_no_folder(tmp_path: Any) -> None:
    def make(text: str) -> Callable[[Messages], str]:
        return lambda _: text

    label = code_label(echo)
    assert label.startswith("local code ")
    assert "test_local_code:echo, source sha256 " in label
    assert code_label(partial(tagged, "x")).split(",")[0].endswith(":tagged")
    assert code_label(Pipeline()).split(",")[0].endswith(":Pipeline")
    assert code_label(make("x")) == code_label(make("y")), "what it was called with is not its source"
    built: dict[str, Any] = {}
    exec("def made(messages): return ''", built)  # noqa: S102 # a function without a source file
    assert "sha256" not in code_label(built["made"])
    assert str(tmp_path.parent) not in label


def test_other_models_are_opened_as_before_and_missing_functions_are_named(loop: OwnLoop) -> None:
    others = HttpModelDirectory({})
    directory = LocalCodeDirectory({"local/f": echo}, others, coroutines=loop, timeout_s=1)
    assert directory.open("local/f").endpoint == code_label(echo)
    assert directory.open("sim/good").model == "sim/good"
    for models in (directory, others):
        with pytest.raises(InvalidValueError, match=r"'local/g' is a function of a Python program"):
            models.open("local/g")
