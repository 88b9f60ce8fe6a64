"""The replies of an attempt of several calls, stored as they arrive.

An attempt whose worker died is executed again from its start. As long as its prompts are the same it gets the
replies that are stored, so at most one reply is paid for twice; from the first other prompt on, which the
programs of an agent may lead to, models are asked again.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from assay.domain.attempt import AttemptKey, Call
from assay.domain.calls.messages import Completion, Prompt
from assay.domain.run import EvaluationId
from assay.domain.step import Step, StepRole, prompt_digest
from assay.engine.stores.steps import StepStore

Asking = Callable[[list[Call]], Awaitable[Completion]]
"""Makes the calls for one reply and adds each to the list, also if it then raises."""


@dataclass(slots=True)
class RecordedReplies:
    store: StepStore
    evaluation_id: EvaluationId
    key: AttemptKey
    _stored: list[Step] | None = None
    _count: int = field(default=0)

    async def reply(self, role: StepRole, prompt: Prompt, asking: Asking, calls: list[Call]) -> Completion:
        """The reply, stored or new; the calls that it took are added to `calls`."""
        asked = prompt_digest(prompt)
        stored = await self._following(role, asked)
        if stored is not None:
            calls.extend(stored.calls)
            return stored.completion
        own: list[Call] = []
        try:
            completion = await asking(own)
        finally:
            calls.extend(own)
        step = Step(role, asked, completion, tuple(own))
        await self.store.add(self.evaluation_id, self.key, self._count, step)
        self._count += 1
        return completion

    async def _following(self, role: StepRole, asked: str) -> Step | None:
        if self._stored is None:
            self._stored = list(await self.store.steps_of(self.evaluation_id, self.key))
        if self._count >= len(self._stored):
            return None
        step = self._stored[self._count]
        if (step.role, step.prompt_digest) == (role, asked):
            self._count += 1
            return step
        await self.store.remove_from(self.evaluation_id, self.key, self._count)
        del self._stored[self._count :]
        return None
