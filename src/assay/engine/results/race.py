"""What the answers of a run with a stopping rule have settled, item by item in the order it asks them.

All of it follows from the rule, the order and the scores: not from when, how often or where one looked.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Self

from assay.domain.benchmark import ItemId
from assay.domain.run import Evaluation, EvaluationId, RunSpec
from assay.domain.shard import execution_order_of
from assay.domain.stopping import Stopped, StopRule
from assay.engine.results.contest import Contest, Entrant, Terms

Scores = Callable[[EvaluationId, Sequence[ItemId]], Awaitable[Mapping[ItemId, Sequence[float | None]]]]
"""The scores of the stored attempts at these items; None for those without a verdict."""

_AT_ONCE = 512


class Race:
    """All comparisons of a run on one benchmark."""

    def __init__(self, terms: Terms, entrants: Sequence[Entrant], order: Sequence[ItemId]) -> None:
        """`order` is that in which the items are asked."""
        self.terms = terms
        self.order = order
        self.contests: list[Contest] = (
            [Contest(one, None, terms) for one in entrants]
            if terms.rule.bar is not None
            else [
                Contest(ours, theirs, terms)
                for place, ours in enumerate(entrants)
                for theirs in entrants[place + 1 :]
            ]
        )

    @classmethod
    def of(
        cls, spec: RunSpec, rule: StopRule, evaluations: Sequence[Evaluation], item_ids: Sequence[ItemId]
    ) -> Self:
        """`evaluations` are those of one benchmark, in the order of the run's models."""
        one = evaluations[0]
        terms = Terms.of(spec, rule, one.benchmark, asked=len(item_ids), size=one.benchmark_size)
        order = [item_ids[place] for place in execution_order_of(one, spec)]
        return cls(terms, [Entrant(each.id, each.model) for each in evaluations], order)

    async def advance(self, scores: Scores) -> None:
        """Take in what is stored now, up to the first item that is not complete."""
        unfinished: list[Contest] = [one for one in self.contests if not one.is_decided]
        while unfinished:
            # A decided model is asked nothing more, so the others may be further.
            start = min(one.asked for one in unfinished)
            items = self.order[start : start + _AT_ONCE]
            wanted = {side.id for one in unfinished for side in (one.ours, one.theirs) if side is not None}
            known = {one: await scores(one, items) for one in sorted(wanted)}
            await asyncio.to_thread(self._advance, unfinished, self.order[: start + _AT_ONCE], known)
            unfinished = [one for one in unfinished if not one.is_decided and one.asked == start + _AT_ONCE]

    @staticmethod
    def _advance(
        contests: Sequence[Contest],
        order: Sequence[ItemId],
        known: Mapping[EvaluationId, Mapping[ItemId, Sequence[float | None]]],
    ) -> None:
        for one in contests:
            one.advance(order, known)

    def unfinished(self, evaluation_id: EvaluationId) -> list[Contest]:
        return [one for one in self.contests if one.involves(evaluation_id) and not one.is_decided]

    def stopped(self, evaluation_id: EvaluationId) -> Stopped | None:
        """How far the evaluation's answers were needed; None while any of its comparisons is not decided."""
        if self.unfinished(evaluation_id):
            return None
        settled = [one.settled_for(evaluation_id) for one in self.contests if one.involves(evaluation_id)]
        return Stopped(
            after=max(one.after for one in settled),
            items=self.terms.items,
            population=self.terms.population,
            settled=tuple(settled),
        )
