"""Where two answers to the same prompt differ for the first time."""

import asyncio
import statistics
from array import array
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field

from assay.domain.attempt import AttemptKey
from assay.domain.calls.transcript import transcript_in
from assay.domain.json_value import Json

# Reading a long conversation takes milliseconds, and hundreds of answers come at once: too long for an event
# loop that others wait on.
_LONG = 10_000
_Answers = AsyncIterator[tuple[AttemptKey, str]]


@dataclass(frozen=True, slots=True)
class Divergence:
    """Of `pairs` of answers; `median_chars` is how long the others agree, None if all are identical."""

    pairs: int
    identical: int
    median_chars: float | None


@dataclass(slots=True)
class DivergenceTally:
    _pairs: int = 0
    _agreeing: "array[int]" = field(default_factory=lambda: array("q"))

    def add(self, ours: str, theirs: str) -> None:
        self._pairs += 1
        place = first_difference(spoken(ours), spoken(theirs))
        if place is not None:
            self._agreeing.append(place)

    @property
    def divergence(self) -> Divergence | None:
        """None without a pair."""
        if not self._pairs:
            return None
        agreeing = self._agreeing
        median = float(statistics.median(agreeing)) if agreeing else None
        return Divergence(self._pairs, self._pairs - len(agreeing), median)

    async def between(self, ours: _Answers, theirs: _Answers) -> None:
        """Pair by pair of the same item and sample, of two streams in the same order."""
        # What only one of the two has so far: without missing answers, one at most.
        waiting: tuple[dict[AttemptKey, str], dict[AttemptKey, str]] = ({}, {})
        streams: list[tuple[int, _Answers]] = [(0, ours), (1, theirs)]
        while streams:
            for side, stream in tuple(streams):
                found = await anext(stream, None)
                if found is None:
                    streams.remove((side, stream))
                    continue
                key, answer = found
                other = waiting[1 - side].pop(key, None)
                if other is None:
                    waiting[side][key] = answer
                else:
                    await self._compare(answer, other)

    async def among(self, answers: _Answers) -> None:
        """Between consecutive samples of each item, which come in order."""
        before: tuple[AttemptKey, str] | None = None
        async for key, answer in answers:
            if before is not None and before[0].item_id == key.item_id:
                await self._compare(answer, before[1])
            before = key, answer

    async def _compare(self, ours: str, theirs: str) -> None:
        if len(ours) + len(theirs) > _LONG:
            await asyncio.to_thread(self.add, ours, theirs)
        else:
            self.add(ours, theirs)


def spoken(answer: str) -> str:
    """What the model itself said; of a conversation, without what tools answered and the ids of calls."""
    transcript = transcript_in(answer)
    if transcript is None:
        return answer
    own = [message for message in transcript.messages if message.get("role") == "assistant"]
    return "\n".join(text for message in own for text in (_text(message.get("content")), *_calls(message)))


def _calls(message: Mapping[str, Json]) -> list[str]:
    calls = message.get("tool_calls")
    functions = (
        [call.get("function") for call in calls if isinstance(call, Mapping)]
        if isinstance(calls, list)
        else []
    )
    return [
        f"{_text(one.get('name'))}({_text(one.get('arguments'))})"
        for one in functions
        if isinstance(one, Mapping)
    ]


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def first_difference(ours: str, theirs: str) -> int | None:
    """The number of characters that agree before it; None if the texts are equal."""
    if ours == theirs:
        return None
    low, high = 0, min(len(ours), len(theirs))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if ours[:middle] == theirs[:middle] else (low, middle - 1)
    return low
