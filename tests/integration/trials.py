"""Trials of tasks in containers with models that are simulated or follow a script."""

from collections.abc import Sequence

from assay.adapters.models.directory import HttpModelDirectory
from assay.domain.benchmark import Ask, Cue
from assay.domain.calls.messages import Completion, Generation, Prompt
from assay.engine.ports import Request

_NO_CUE = Cue()


def simulated(model: str) -> Ask:
    client = HttpModelDirectory({}).open(model)

    async def ask(prompt: Prompt, *, cue: Cue = _NO_CUE) -> Completion:
        return await client.complete(Request(prompt, Generation(), cue=lambda: cue))

    return ask


def scripted(replies: Sequence[str], then: str) -> Ask:
    """These replies in turn, and then always the same."""
    left = list(replies)

    async def ask(prompt: Prompt, *, cue: Cue = _NO_CUE) -> Completion:
        return Completion(left.pop(0) if left else then, finish_reason="stop")

    return ask
