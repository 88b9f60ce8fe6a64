"""What an own agent reaches in place of the model's endpoint: one model, within limits, every call kept."""

import asyncio
import hmac
import json
import secrets
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal

from assay.domain.agent import HostedAgent
from assay.domain.benchmark import Ask, Cue
from assay.domain.calls.messages import Completion, Json
from assay.domain.calls.pricing import usage_cost_usd
from assay.domain.errors import RejectedError
from assay.domain.json_value import MAX_VALUES, digest
from assay.domain.programs.containers import HttpAnswer, HttpQuestion
from assay.engine.agents.chat_api import (
    ChatRequest,
    RefusedError,
    chat_request,
    completion_answer,
    error_answer,
    json_answer,
    model_json,
    reply_json,
)
from assay.engine.agents.turns import TurnLimits, Turns

_CHAT, _MODELS = "/v1/chat/completions", "/v1/models"
# A transcript may have 10,000 messages, and in all of it so many values, by the characters that begin them.
_MOST_LOGGED = 9_000
_MOST_LOGGED_VALUES = MAX_VALUES * 4 // 5
_MOST_LOGGED_CHARACTERS = 32_000_000
_NO_CUE = Cue()
_LIMITS = {"steps": "calls", "tokens": "tokens", "time": "time"}
_IDENTITY = ("role", "content", "tool_calls", "tool_call_id")


class ModelProxy:
    """Answers the requests of one attempt; `failed` is set once the attempt cannot go on."""

    def __init__(
        self,
        agent: HostedAgent,
        ask: Ask,
        limits: TurnLimits,
        *,
        cue: Cue = _NO_CUE,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        own = agent.loaded.agent.limits
        steps = limits.steps if own.calls is None else min(limits.steps, own.calls)
        self._agent = agent
        self._turns = Turns(ask, replace(limits, steps=steps, tokens=own.tokens or limits.tokens), monotonic)
        self._most_usd = own.usd
        self._cue = cue
        self._one_at_a_time = asyncio.Lock()
        self._clock = _Clock(monotonic)
        self._spent_usd = Decimal(0)
        self.log = CallLog()
        self.token = f"assay-{secrets.token_urlsafe(32)}"
        self.failure: BaseException | None = None
        self.failed = asyncio.Event()
        self.limit: str | None = None

    @property
    def calls(self) -> int:
        return self._turns.steps

    @property
    def used_s(self) -> float:
        """The agent's time: its own, and what the model took; waiting for a free connection is neither."""
        return self._clock.own_s() + self._turns.used_s

    @property
    def left_s(self) -> float:
        return self._turns.limits.wall_s - self.used_s

    async def answer(self, question: HttpQuestion) -> HttpAnswer:
        """Never raises: what ends the attempt is kept for whoever waits for the agent."""
        try:
            return await self._answered(question)
        except RefusedError as error:
            return error.answer
        except asyncio.CancelledError:
            raise
        except RejectedError as error:
            # Such as a prompt that is too long, which an agent can shorten.
            return error_answer(400, "invalid_request_error", error.public_message)
        except Exception as error:  # noqa: BLE001 # raised where the agent is waited for
            self.failure = self.failure or error
            self.failed.set()
            return error_answer(503, "unavailable", "the model cannot be asked: this attempt is over")

    async def _answered(self, question: HttpQuestion) -> HttpAnswer:
        given = question.authorization.removeprefix("Bearer ").encode("utf-8", "replace")
        if not hmac.compare_digest(given, self.token.encode()):
            raise RefusedError(401, "invalid_api_key", "this is not the key in OPENAI_API_KEY")
        path, model = question.path.partition("?")[0].rstrip("/"), self._agent.model
        if question.method == "GET" and path == _MODELS:
            return json_answer({"object": "list", "data": [model_json(model)]})
        if question.method != "POST" or path != _CHAT:
            raise RefusedError(404, "not_found", f"there are POST {_CHAT} and GET {_MODELS}")
        request = await asyncio.to_thread(chat_request, question.body, model=model)
        async with self._one_at_a_time:
            completion = await self._completed(request)
        return completion_answer(
            completion, request, model=model, number=self.calls, created=int(time.time())
        )

    async def _completed(self, request: ChatRequest) -> Completion:
        self._require_room()
        with self._clock.paused():
            try:
                completion = await self._turns.asked(request.prompt, cue=self._cue)
            except RejectedError:
                # Or an agent could repeat it without end: its time does not run meanwhile.
                self._turns.steps += 1
                raise
        self._spent_usd += usage_cost_usd(completion.usage, self._agent.price) or 0
        self.log.add(request, completion, call=self.calls)
        return completion

    def _require_room(self) -> None:
        if self.failure is not None:
            raise self.failure
        self.limit = self._reached()
        if self.limit is not None:
            raise RefusedError(
                403,
                "limit_reached",
                f"this attempt has used up its {self.limit} after {self.calls} calls: it gets no reply",
            )

    def _reached(self) -> str | None:
        if self._turns.ended is not None:
            return _LIMITS[self._turns.ended]
        if self._most_usd is not None and self._spent_usd >= self._most_usd:
            return "USD"
        return "time" if self.left_s <= 0 else None


class _Clock:
    """Counts seconds, except while it is paused."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._began = monotonic()
        self._paused_s = 0.0
        self._paused_at: float | None = None

    def own_s(self) -> float:
        now = self._monotonic() if self._paused_at is None else self._paused_at
        return now - self._began - self._paused_s

    @contextmanager
    def paused(self) -> Generator[None]:
        began = self._paused_at = self._monotonic()
        try:
            yield
        finally:
            self._paused_s += self._monotonic() - began
            self._paused_at = None


@dataclass(slots=True)
class CallLog:
    """Every message that was sent or replied, once, with the number of the call in which it came first."""

    messages: list[dict[str, Json]] = field(default_factory=list[dict[str, Json]])
    is_cut: bool = False
    _seen: set[str] = field(default_factory=set[str])
    _characters: int = 0
    _values: int = 0

    def add(self, request: ChatRequest, completion: Completion, *, call: int) -> None:
        for message in request.messages:
            # Agents send replies back without all that came with them.
            key = _key(message)
            if key not in self._seen:
                self._seen.add(key)
                self.keep({**message, "call": call})
        reply = reply_json(completion)
        self._seen.add(_key(reply))
        self.keep({**reply, "call": call})

    def keep(self, message: dict[str, Json]) -> None:
        text = json.dumps(message, default=dict)
        self._characters += len(text)
        self._values += sum(map(text.count, ",[{"))
        self.is_cut = (
            self.is_cut
            or len(self.messages) >= _MOST_LOGGED
            or self._values > _MOST_LOGGED_VALUES
            or self._characters > _MOST_LOGGED_CHARACTERS
        )
        if not self.is_cut:
            self.messages.append(message)


def _key(message: Mapping[str, Json]) -> str:
    return digest([message.get(name) for name in _IDENTITY])
