"""The turns of an agent: it asks within limits, and keeps every message."""

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from assay.domain.benchmark import Ask, Cue
from assay.domain.calls.messages import Completion, Message, Prompt

Ended = Literal["steps", "tokens", "time"]
_NO_CUE = Cue()


@dataclass(frozen=True, slots=True)
class TurnLimits:
    """What one attempt may use; what it may cost is up to the run's budget."""

    steps: int
    wall_s: float
    tokens: int | None = None


class TurnsOverError(Exception):
    """A limit is reached: the agent may not ask again."""

    def __init__(self, ended: Ended) -> None:
        super().__init__(ended)
        self.ended: Ended = ended


@dataclass(slots=True)
class Turns:
    """`context` is what the next prompt has; `log` keeps what was asked and said in all.

    The clock counts what the model took by its own timing, and what `acting` encloses: neither waiting for a
    free connection, nor replies that are taken from the store when an attempt is executed again.
    """

    ask: Ask
    limits: TurnLimits
    monotonic: Callable[[], float] = time.monotonic
    context: list[Message] = field(default_factory=list[Message])
    log: list[Message] = field(default_factory=list[Message])
    steps: int = 0
    tokens: int = 0
    used_s: float = 0.0
    is_cut: bool = False

    @property
    def left_s(self) -> float:
        return max(0.0, self.limits.wall_s - self.used_s)

    @property
    def ended(self) -> Ended | None:
        if self.steps >= self.limits.steps:
            return "steps"
        if self.limits.tokens is not None and self.tokens >= self.limits.tokens:
            return "tokens"
        return "time" if self.left_s == 0 else None

    async def reply(self, text: str, *, cue: Cue = _NO_CUE) -> Completion:
        """Ask with one more message of the user; raises TurnsOverError if a limit is reached."""
        question = Message("user", text)
        completion = await self.apart([*self.context, question], cue=cue)
        answer = Message("assistant", completion.answer)
        self.context += [question, answer]
        self.log += [question, answer]
        return completion

    async def apart(self, messages: Sequence[Message], *, cue: Cue = _NO_CUE) -> Completion:
        """Ask something that does not belong to the conversation; it counts towards the limits."""
        return await self.asked(Prompt(tuple(messages)), cue=cue)

    async def asked(self, prompt: Prompt, *, cue: Cue = _NO_CUE) -> Completion:
        """Ask with a whole prompt; it counts towards the limits."""
        if self.ended is not None:
            raise TurnsOverError(self.ended)
        began = self.monotonic()
        completion = await self.ask(prompt, cue=cue)
        waited_s = self.monotonic() - began
        self.steps += 1
        self.tokens += (completion.usage.input_tokens or 0) + (completion.usage.output_tokens or 0)
        self.used_s += completion.timing.duration_ms / 1000 if completion.timing else waited_s
        self.is_cut = self.is_cut or completion.is_cut
        return completion

    @contextmanager
    def acting(self) -> Generator[None]:
        """Count the time of what the agent does between its replies."""
        began = self.monotonic()
        try:
            yield
        finally:
            self.used_s += self.monotonic() - began
