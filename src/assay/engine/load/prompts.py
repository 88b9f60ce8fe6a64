"""The requests of a load test: made-up texts of given lengths, or the prompts of a benchmark or data set."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random

from assay.domain.calls.messages import Generation, Json, Prompt
from assay.domain.load import LoadSpec
from assay.engine.load.lengths import MOST_TOKENS, Lengths
from assay.engine.ports import Request

# Short common words, each of which is one token of most tokenizers.
_WORDS = (
    "time year people way day man thing woman life child world school state family student group country"
    " problem hand part place case week company system program question work government number night point"
    " home water room mother area money story fact month lot right study book eye job word business issue"
    " side kind head house service friend father power hour game line end member law car city name team"
)
_CORPUS_WORDS = 1 << 16
# A word beside the number, the instruction around the text.
_FRAME_TOKENS = 16
_FRAME = "Text {mark}. {text}\n\nContinue this text{length}."


@dataclass(frozen=True)
class Requests:
    """The request of each number, the same for the same seed; texts begin differently.

    A server that keeps the beginnings of prompts would otherwise answer most of them from its cache.
    """

    spec: LoadSpec
    given: Sequence[Prompt] = ()

    def request(self, number: int) -> Request:
        random = Random(f"{self.spec.seed}:{number}")  # noqa: S311  a reproducible draw
        output = None if self._output is None else self._output.draw(random)
        given = self.given
        prompt = given[number % len(given)] if given else self._made_up(random, output)
        if self.spec.ignore_eos:
            prompt = _without_end(prompt)
        return Request(prompt, Generation(max_tokens=output), sample=number, is_single=True)

    def _made_up(self, random: Random, output: int | None) -> Prompt:
        words = max(1, self._input.draw(random) - _FRAME_TOKENS)
        start = random.randrange(_CORPUS_WORDS)
        text = " ".join(self._corpus[start : start + words])
        length = "" if output is None else f" with about {output} words"
        return Prompt.of_user(_FRAME.format(mark=f"{random.getrandbits(32):08x}", text=text, length=length))

    @cached_property
    def _input(self) -> Lengths:
        return Lengths.read(self.spec.prompt_tokens)

    @cached_property
    def _output(self) -> Lengths | None:
        return None if self.spec.output_tokens is None else Lengths.read(self.spec.output_tokens)

    @cached_property
    def _corpus(self) -> Sequence[str]:
        words = Random(self.spec.seed).choices(_WORDS.split(), k=_CORPUS_WORDS)  # noqa: S311
        return words * (2 + MOST_TOKENS // _CORPUS_WORDS)


def _without_end(prompt: Prompt) -> Prompt:
    """Servers that know the option then write up to the token cap."""
    option: dict[str, Json] = {"ignore_eos": True}
    if prompt.body is not None:
        return replace(prompt, body={**prompt.body, **option})
    return replace(prompt, extra={**prompt.extra, **option})
