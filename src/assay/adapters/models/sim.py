"""Simulated models that run in the process: baselines, and substitutes for tests and demonstrations."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, fields
from urllib.parse import parse_qsl

from assay.adapters.models.providers import SIMULATED
from assay.adapters.models.sim_answers import ANSWERING, MODELS, Question, answer, draw
from assay.domain.benchmark import Need
from assay.domain.calls.messages import Completion, ToolCall, Usage
from assay.domain.calls.pricing import Price
from assay.domain.calls.timing import Arrivals, stream_timing
from assay.domain.errors import (
    ConnectionFailedError,
    InvalidValueError,
    RateLimitedError,
    ServerError,
    UnknownNameError,
    nearest_names,
)
from assay.engine.ports import Request

_CHARS_PER_TOKEN = 4
_SHARES = ("stall", "error", "rate_limit", "cut", "skill")
Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class SimOptions:
    """Given in the model's name: `sim/good?delay_ms=200&error=0.02`. Shares are of calls, from 0 to 1."""

    delay_ms: float = 0.0
    tokens_per_s: float = 0.0
    stall: float = 0.0
    stall_ms: float = 5_000.0
    error: float = 0.0
    rate_limit: float = 0.0
    retry_after_s: float = 1.0
    cut: float = 0.0
    seed: float = 0.0
    skill: float = -1.0
    # Models that differ in nothing else are one model at several endpoints: they know the same answers.
    endpoint: float = 0.0

    @property
    def can_fail(self) -> bool:
        return bool(self.error or self.rate_limit or self.cut)


class SimulatedModel:
    """Answers by the cue that benchmarks give with each item; the same question gets the same answer."""

    def __init__(
        self,
        model: str,
        *,
        now_s: Callable[[], float] = time.perf_counter,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        name, _, query = model.removeprefix(f"{SIMULATED}/").partition("?")
        if name not in MODELS:
            nearest = nearest_names(name, MODELS, most=2)
            raise UnknownNameError(
                "simulated model", name, nearest=nearest, remedy=f"there are {', '.join(MODELS)}"
            )
        self._model = model
        self._name = name
        self._options = _options(query)
        self._now_s = now_s
        self._sleep = sleep
        self._tries: dict[tuple[str, int], int] = {}

    @property
    def model(self) -> str:
        return self._model

    @property
    def endpoint(self) -> str:
        return self._model

    async def check(self, needs: frozenset[Need] = frozenset()) -> None:
        """Always available."""

    async def price(self) -> Price | None:
        """Unknown: a price of 0 would be added to real costs."""
        return None

    async def close(self) -> None:
        """Nothing is held open."""

    async def complete(self, request: Request) -> Completion:
        options = self._options
        text, is_cut = self._text(request)
        calls = self._calls(request, text)
        chance = self._chances(request)
        started_s = self._now_s()
        if chance("rate_limit") < options.rate_limit:
            raise RateLimitedError(
                f"{self._model!r} was asked to limit calls", status=429, retry_after_s=options.retry_after_s
            )
        if chance("error") < options.error:
            raise ServerError(f"{self._model!r} was asked to fail", status=500)
        stalls = chance("stall") < options.stall
        sent = text or "".join(call.arguments for call in calls)
        chunks_s = await self._paced(sent, stalls=stalls, cuts=chance("cut") < options.cut)
        self._tries.pop((request.prompt.text, request.sample), None)
        ended_s = chunks_s[-1] if chunks_s else self._now_s()
        arrivals = Arrivals(started_s, ended_s, chunks_s, chunks_s[0] if chunks_s else None)
        usage = Usage(input_tokens=_tokens(request.prompt.text), output_tokens=_tokens(sent))
        return Completion(
            answer=text,
            tool_calls=calls,
            finish_reason="length" if is_cut else "tool_calls" if calls else "stop",
            usage=usage,
            timing=stream_timing(arrivals, output_tokens=usage.output_tokens),
            served_model=self._model,
            arrivals=arrivals,
        )

    def _text(self, request: Request) -> tuple[str, bool]:
        """The answer up to the token cap, and whether the cap cut it."""
        options = self._options
        skill = options.skill if options.skill >= 0 else None
        question = Question(
            request.prompt, request.cue(), request.sample, int(options.seed), skill, int(options.endpoint)
        )
        text = answer(self._name, question)
        cap = request.generation.max_tokens
        if cap is None or _tokens(text) <= cap:
            return text, False
        return text[: cap * _CHARS_PER_TOKEN], True

    def _calls(self, request: Request, text: str) -> tuple[ToolCall, ...]:
        """The tool calls of the right answer, if that is what this model gives."""
        cue = request.cue()
        return cue.calls if cue.calls and self._name in ANSWERING and text == (cue.right or "") else ()

    def _chances(self, request: Request) -> Callable[[str], float]:
        """One random draw per purpose, different for each retry of a call, so that a retry can succeed."""
        if not (self._options.can_fail or self._options.stall):
            return lambda _purpose: 1.0
        key = (request.prompt.text, request.sample)
        tries = self._tries[key] = self._tries.get(key, 0) + 1
        return lambda purpose: draw(self._options.seed, purpose, tries, *key)

    async def _paced(self, text: str, *, stalls: bool, cuts: bool) -> list[float]:
        """The times at which the pieces of the answer were sent."""
        options = self._options
        if options.delay_ms:
            await self._sleep(options.delay_ms / 1000)
        count = self._piece_count(text, is_halved=stalls or cuts)
        first_s = self._now_s()
        chunks_s: list[float] = []
        for piece in range(count):
            if piece == count // 2 and cuts:
                raise ConnectionFailedError(f"{self._model!r} was asked to cut the connection")
            if piece == count // 2 and stalls:
                await self._sleep(options.stall_ms / 1000)
                first_s += options.stall_ms / 1000
            if piece and options.tokens_per_s:
                await self._sleep(max(0.0, first_s + piece / options.tokens_per_s - self._now_s()))
            chunks_s.append(self._now_s())
        return chunks_s

    def _piece_count(self, text: str, *, is_halved: bool) -> int:
        if not text:
            return 0
        if self._options.tokens_per_s:
            return _tokens(text)
        return 2 if is_halved else 1


def _tokens(text: str) -> int:
    return -(-len(text) // _CHARS_PER_TOKEN)


def _options(query: str) -> SimOptions:
    known = {field.name for field in fields(SimOptions)}
    values: dict[str, float] = {}
    for name, text in parse_qsl(query, keep_blank_values=True):
        if name not in known:
            nearest = nearest_names(name, known, most=2)
            raise UnknownNameError("option of simulated models", name, nearest=nearest)
        values[name] = _number(name, text)
    return SimOptions(**values)


def _number(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError as error:
        raise InvalidValueError(
            f"option {name!r} of a simulated model needs a number, not {text!r}"
        ) from error
    if not 0 <= value < float("inf") or (name in _SHARES and value > 1):
        highest = "1" if name in _SHARES else "infinity"
        raise InvalidValueError(
            f"option {name!r} of a simulated model lies from 0 to {highest}, not {text!r}"
        )
    return value
