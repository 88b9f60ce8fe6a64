"""Ends the evaluations of a run with a stopping rule once what is stored has settled them."""

import asyncio
from collections.abc import Callable, Sequence

from assay.domain.run import Evaluation, Run, State
from assay.domain.shard import ShardState
from assay.engine.execution.lifecycle import RunLifecycle
from assay.engine.planning.plan import PlannedBenchmark
from assay.engine.results.race import Race
from assay.engine.tasks import uninterrupted


class Stopping:
    """The stopping rule of one run, checked on all stored attempts after each wave that ends here."""

    def __init__(self, lifecycle: RunLifecycle, observe: Callable[[Race], None]) -> None:
        self._lifecycle = lifecycle
        self._observe = observe
        self._races: dict[str, Race] = {}
        self._looking = asyncio.Lock()

    async def is_open(self, run: Run, evaluation: Evaluation, planned: PlannedBenchmark) -> bool:
        """Whether the evaluation is asked more; what was stored before this process began may settle it."""
        if run.spec.stop is None or planned.benchmark.card.name in self._races:
            return True
        await self.look(run, planned)
        return evaluation.id in {one.id for one in await self._evaluations(run, planned) if _is_asked(one)}

    async def look(self, run: Run, planned: PlannedBenchmark) -> None:
        """End what is settled, which cancels the shards under way, this one among them."""
        if run.spec.stop is None:
            return
        name = planned.benchmark.card.name
        async with self._looking:
            evaluations = await self._evaluations(run, planned)
            if name not in self._races:
                self._races[name] = await asyncio.to_thread(
                    Race.of, run.spec, run.spec.stop, evaluations, planned.item_ids
                )
            race = self._races[name]
            await race.advance(self._lifecycle.attempts.scores)
            self._observe(race)
            await uninterrupted(self._end_settled(race, evaluations, planned))

    async def _end_settled(
        self, race: Race, evaluations: Sequence[Evaluation], planned: PlannedBenchmark
    ) -> None:
        failed = {one.id: one.model for one in evaluations if one.state is State.FAILED}
        for one in filter(_is_asked, evaluations):
            unfinished = race.unfinished(one.id)
            rivals = [side for contest in unfinished for side in (contest.ours, contest.theirs) if side]
            others = {side.id for side in rivals} - {one.id}
            if not unfinished:
                if not await self._is_retried(one):
                    await self._lifecycle.finish_evaluation(one, planned)
            elif others and others <= failed.keys():
                names = ", ".join(sorted(failed[other] for other in others))
                await self._lifecycle.fail_evaluation(one, f"{names} failed, so nothing is left to decide")

    async def _is_retried(self, evaluation: Evaluation) -> bool:
        """Whether attempts without a verdict are made again, which is worth its calls all the same."""
        return any(
            shard.evaluation_id == evaluation.id and shard.retries_missing and shard.state is ShardState.OPEN
            for shard in await self._lifecycle.shards.list(evaluation.run_id)
        )

    async def _evaluations(self, run: Run, planned: PlannedBenchmark) -> list[Evaluation]:
        name = planned.benchmark.card.name
        return [one for one in await self._lifecycle.evaluations_of(run.id) if one.benchmark == name]


def _is_asked(evaluation: Evaluation) -> bool:
    return not evaluation.state.is_settled
