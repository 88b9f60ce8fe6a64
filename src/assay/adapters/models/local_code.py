"""Models that are functions of a user's own program, such as a pipeline or an agent.

Whatever such a function does, the run goes on: it runs away from the engine's event loop, an exception is the
outcome of its attempt, and one that does not return is given up.
"""

import asyncio
import contextvars
import inspect
import json
import threading
import time
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import Future
from contextlib import suppress
from hashlib import sha256
from typing import Any, Protocol, TypeGuard, cast

from assay.adapters.models.reasoning import split_tags
from assay.domain.access.secret import Secret, redacted
from assay.domain.benchmark import Need
from assay.domain.calls.messages import MAX_TOKENS, Completion, Prompt, Usage
from assay.domain.calls.pricing import Price
from assay.domain.calls.timing import StreamTiming
from assay.domain.errors import (
    BadReplyError,
    CallError,
    CallTimeoutError,
    EndpointError,
    LocalCodeError,
    RejectedError,
    UnsupportedError,
)
from assay.domain.run import LOCAL_CODE
from assay.engine.models.functions import function_missing, is_function
from assay.engine.ports import ModelClient, ModelDirectory, Request

Messages = list[dict[str, Any]]
"""What a function gets: messages as OpenAI's chat API has them."""

Reply = str | Completion
Function = Callable[[Messages], Reply | Awaitable[Reply]]

_Ending = tuple[object, BaseException | None]

_MAX_REPLY_CHARACTERS = 32 * 1024 * 1024
_MAX_ERROR_CHARACTERS = 500
_HASH_CHARACTERS = 16
# Threads cannot be ended from outside: each call that does not return keeps one.
_MOST_HUNG = 64


class CoroutineRunner(Protocol):
    """The event loop that coroutines of users run on; never the engine's."""

    def submit(self, work: Coroutine[Any, Any, _Ending]) -> "Future[_Ending]": ...


class LocalCodeDirectory:
    """Opens the functions of this program; every other model as before."""

    def __init__(
        self,
        functions: Mapping[str, Function],
        others: ModelDirectory,
        *,
        coroutines: CoroutineRunner,
        timeout_s: float,
    ) -> None:
        self._functions = functions
        self._others = others
        self._coroutines = coroutines
        self._timeout_s = timeout_s

    def open(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: Secret | None = None,
        key_variable: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> ModelClient:
        if not is_function(model):
            return self._others.open(
                model, base_url=base_url, api_key=api_key, key_variable=key_variable, headers=headers
            )
        if model not in self._functions:
            raise function_missing(model)
        return LocalCodeModel(
            model, self._functions[model], coroutines=self._coroutines, timeout_s=self._timeout_s
        )


class LocalCodeModel:
    def __init__(
        self, model: str, function: Function, *, coroutines: CoroutineRunner, timeout_s: float
    ) -> None:
        self._model = model
        self._function = function
        self._coroutines = coroutines
        self._timeout_s = timeout_s
        self._hung: set[threading.Thread] = set()
        self._endpoint = code_label(function)

    @property
    def model(self) -> str:
        return self._model

    @property
    def endpoint(self) -> str:
        return self._endpoint

    async def check(self, needs: frozenset[Need] = frozenset()) -> None:
        if Need.TOOLS in needs:
            raise UnsupportedError(
                f"{self._model!r} is a function, which gets messages alone, and this benchmark sends tools"
            )

    async def price(self) -> Price | None:
        """Unknown: the function may call anything."""
        return None

    async def close(self) -> None:
        """Nothing is held open."""

    async def complete(self, request: Request) -> Completion:
        messages = _messages(request.prompt)
        started_s = time.perf_counter()
        try:
            async with asyncio.timeout(self._timeout_s):
                value, error = await self._called(messages)
        except TimeoutError as error:
            raise CallTimeoutError(f"{self._model!r} did not return within {self._timeout_s:g} s") from error
        if error is not None:
            if isinstance(error, CallError):
                # What the function means by it, such as when to ask again.
                raise error
            raise LocalCodeError(self._said(error)) from error
        timing = StreamTiming(duration_ms=(time.perf_counter() - started_s) * 1000)
        return self._completion(value, timing)

    async def _called(self, messages: Messages) -> _Ending:
        function = self._function
        if _is_coroutine_function(function):
            return await self._awaited(function(messages))
        value, error = await self._in_thread(messages)
        return await self._awaited(value) if inspect.isawaitable(value) else (value, error)

    async def _awaited(self, work: Awaitable[object]) -> _Ending:
        return await asyncio.wrap_future(self._coroutines.submit(_ended(work)))

    async def _in_thread(self, messages: Messages) -> _Ending:
        """In a thread that does not keep the program from ending, as those of an executor would."""
        self._hung = {thread for thread in self._hung if thread.is_alive()}
        if len(self._hung) >= _MOST_HUNG:
            raise EndpointError(
                f"{len(self._hung)} calls of {self._model!r} have not returned after {self._timeout_s:g} s"
            )
        loop = asyncio.get_running_loop()
        ending: asyncio.Future[_Ending] = loop.create_future()

        def settle(found: _Ending) -> None:
            if not ending.done():
                ending.set_result(found)

        def call() -> None:
            try:
                found: _Ending = self._function(messages), None
            except BaseException as error:  # noqa: BLE001 # it ends the attempt, whatever it is
                found = None, error
            # The run may be over.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(settle, found)

        # In the caller's context: a notebook shows what the function prints below the right cell.
        context = contextvars.copy_context()
        thread = threading.Thread(target=context.run, args=(call,), name=f"assay {self._model}", daemon=True)
        thread.start()
        try:
            return await ending
        except asyncio.CancelledError:
            self._hung.add(thread)
            raise

    def _said(self, error: BaseException) -> str:
        """The last line of the traceback, and where it was raised, without folders of the machine."""
        last_line = traceback.format_exception_only(error)[-1].strip()
        frames = traceback.extract_tb(error.__traceback__)
        name = frames[-1].filename.replace("\\", "/").rpartition("/")[2] if frames else ""
        where = f" ({name}, line {frames[-1].lineno})" if frames else ""
        return f"{self._model!r} raised {redacted(last_line)[:_MAX_ERROR_CHARACTERS]}{where}"

    def _completion(self, value: object, timing: StreamTiming) -> Completion:
        """Only what is known to fit into the store is taken over from a completion of the user's."""
        if isinstance(value, str):
            return _of_text(self._limited(value, "answer"), timing)
        if not isinstance(value, Completion):
            kind = type(value).__name__
            raise BadReplyError(f"{self._model!r} returned {kind}, not str or assay.Completion")
        return Completion(
            self._limited(value.answer, "answer"),
            reasoning=self._limited(value.reasoning, "reasoning"),
            finish_reason=self._limited(value.finish_reason or "stop", "finish_reason")[:100],
            refusal=None if value.refusal is None else self._limited(value.refusal, "refusal"),
            usage=self._usage(value.usage),
            timing=timing,
        )

    def _limited(self, value: object, name: str) -> str:
        if not isinstance(value, str):
            raise BadReplyError(f"{self._model!r} returned a completion whose {name} is no str")
        if len(value) > _MAX_REPLY_CHARACTERS:
            raise BadReplyError(
                f"{self._model!r} returned {len(value):,} characters; at most {_MAX_REPLY_CHARACTERS:,} count"
            )
        return value

    def _usage(self, usage: object) -> Usage:
        if not isinstance(usage, Usage):
            raise BadReplyError(f"{self._model!r} returned a completion whose usage is no assay.Usage")
        counts = (usage.input_tokens, usage.output_tokens, usage.reasoning_tokens, usage.cached_tokens)
        if not all(map(_is_count, counts)):
            raise BadReplyError(f"{self._model!r} returned token counts that are no whole numbers from 0")
        return Usage(*counts)


def code_label(function: Function) -> str:
    """Which code it is: its name in its module, and the start of the hash of its own source if that is known.

    What the function calls is not part of it.
    """
    subject = inspect.unwrap(getattr(function, "func", function))
    owner = cast(type, subject if hasattr(subject, "__qualname__") else type(subject))  # or a function
    label = f"{LOCAL_CODE} code {owner.__module__}:{owner.__qualname__}"
    try:
        source = inspect.getsource(owner)
    except (OSError, TypeError):
        return label
    return f"{label}, source sha256 {sha256(source.encode()).hexdigest()[:_HASH_CHARACTERS]}"


async def _ended(work: Awaitable[object]) -> _Ending:
    try:
        return await work, None
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        return None, error
    except KeyboardInterrupt:
        # Ctrl-C, where the user's own loop runs on the main thread.
        raise
    except BaseException as error:  # noqa: BLE001 # it ends the attempt, whatever it is
        return None, error


def _is_coroutine_function(function: Function) -> TypeGuard[Callable[[Messages], Awaitable[object]]]:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 # an object whose `__call__` is a coroutine function
    )


def _messages(prompt: Prompt) -> Messages:
    """Fresh objects for each call: a function may keep or change them."""
    if prompt.body is not None and "tools" in prompt.body:
        raise RejectedError("the item sends tools, and a function gets messages alone")
    messages: Messages = json.loads(prompt.to_json())
    return messages


def _of_text(text: str, timing: StreamTiming) -> Completion:
    split = split_tags(text)
    if split is None:
        return Completion(text, finish_reason="stop", timing=timing)
    return Completion(
        split.answer,
        reasoning=split.reasoning,
        reasoning_unclosed=split.is_unclosed,
        finish_reason="stop",
        timing=timing,
    )


def _is_count(value: object) -> bool:
    return value is None or (
        isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_TOKENS
    )
