"""Runs with a stopping rule: what is asked, when it ends, and what the decision rests on."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from assay.domain.access.secret import Secret
from assay.domain.calls.messages import Completion
from assay.domain.errors import AssayError, ServerError, UnauthorizedError
from assay.domain.run import Evaluation, Run, RunSpec, State
from assay.domain.shard import ShardState, execution_order_of
from assay.domain.stats import IntervalMethod
from assay.domain.stopping import StopRule
from assay.engine.execution.control import pause, requeue, resume, retry_missing
from assay.engine.execution.create import create_run
from assay.engine.execution.engine import Engine
from assay.engine.execution.run_loop import execute_run
from assay.engine.planning.catalogue import Catalogue
from assay.engine.ports import Request
from assay.engine.results.compare import compare
from assay.engine.results.leaderboard import PairMemory, entries, leaderboard
from tests.builders import LetterBenchmark, ScriptedModel, World, rewired

RULE = StopRule(margin=0.05)
SIZE = 400
Script = Callable[[Request, int], Completion | AssayError]


def skilled(wrong: str) -> Script:
    """Knows all letters but these."""

    def reply(request: Request, _number: int) -> Completion:
        letter = request.cue().right or ""
        return Completion("z" if letter in wrong else letter)

    return reply


@dataclass
class Field:
    """Scripted models that race on the letters."""

    scripts: Mapping[str, Script]
    models: dict[str, ScriptedModel] = field(default_factory=dict[str, ScriptedModel])

    def __post_init__(self) -> None:
        self.models = {name: ScriptedModel(script) for name, script in self.scripts.items()}

    def open(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: Secret | None = None,
        key_variable: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> ScriptedModel:
        _ = base_url, api_key, key_variable, headers
        return self.models[model]

    def engine(self, size: int = SIZE) -> Engine:
        catalogue = Catalogue({"letters": LetterBenchmark(size=size)})
        return rewired(World().engine, catalogue=catalogue, models=self)

    def spec(self, stop: StopRule = RULE, **changes: Any) -> RunSpec:
        return RunSpec(tuple(self.scripts), ("letters",), data="demo", stop=stop, **changes)


async def raced(entrants: Field, **changes: Any) -> tuple[Engine, Run, list[Evaluation]]:
    engine = entrants.engine()
    run = await create_run(engine, entrants.spec(**changes))
    run = await execute_run(engine, run.id)
    return engine, run, list(await engine.stores.runs.evaluations(run.id))


GOOD, WEAK = skilled("a"), skilled("abcdefghij")


async def test_a_race_ends_once_it_is_decided() -> None:
    entrants = Field({"m/good": GOOD, "m/weak": WEAK})
    engine, run, evaluations = await raced(entrants)
    assert run.state is State.SUCCEEDED
    for one, verdict in zip(evaluations, ("better than m/weak", "worse than m/good"), strict=True):
        summary = one.summary
        assert summary is not None
        assert summary.stopped is not None
        after = summary.stopped.after
        assert 0 < after < SIZE / 4
        assert summary.stopped.sentence == f"stopped: decided after {after} of {SIZE} items ({verdict})"
        assert summary.total == summary.scored == sum(summary.outcomes.values()) == after
        assert summary.score is not None
        assert summary.score.interval is not None
        assert summary.score.interval.method is IntervalMethod.SEQUENCE
        assert summary.score.interval.low < summary.score.value < summary.score.interval.high
        asked = sum((await engine.stores.attempts.outcome_counts([run.id]))[one.id].values())
        assert after <= asked <= after + 40
    assert all(one.state is ShardState.DONE for one in await engine.stores.shards.list(run.id))
    events = await engine.stores.events.page(run.id)
    assert sum("stopped: decided after" in one.message for one in events) == 2


async def test_the_score_covers_the_first_items_of_the_order_and_the_cost_covers_all() -> None:
    entrants = Field({"m/good": GOOD, "m/weak": WEAK})
    engine, run, [ours, _] = await raced(entrants)
    assert ours.summary is not None
    assert ours.summary.stopped is not None
    order = [ours.item_ids[place] for place in execution_order_of(ours, run.spec)]
    first = set(order[: ours.summary.stopped.after])
    scores = {one.item_id: one.score async for one in engine.stores.attempts.results(ours.id)}
    assert first <= scores.keys()
    assert ours.summary.score is not None
    assert ours.summary.score.value == pytest.approx(sum(scores[one] or 0 for one in first) / len(first))
    assert ours.summary.tokens.unknown == len(scores)


async def test_neither_connections_nor_a_pause_change_the_decision() -> None:
    entrants = Field({"m/good": GOOD, "m/weak": WEAK})
    found: set[tuple[int, float]] = set()
    for connections in (1, 7, 64):
        _, _, [ours, _] = await raced(entrants, max_connections=connections)
        found.add(decision(ours))
    engine = entrants.engine()
    run = await create_run(engine, entrants.spec(max_connections=2))
    for _ in range(3):
        before = len(entrants.models["m/good"].requests)
        work = asyncio.create_task(execute_run(engine, run.id))
        while len(entrants.models["m/good"].requests) < before + 5:
            await asyncio.sleep(0)
        await pause(engine.lifecycle, run.id)
        assert (await work).state is State.PAUSED
        await resume(engine.lifecycle, run.id)
    await execute_run(engine, run.id)
    [ours, _] = await engine.stores.runs.evaluations(run.id)
    found.add(decision(ours))
    assert len(found) == 1


def decision(evaluation: Evaluation) -> tuple[int, float]:
    summary = evaluation.summary
    assert summary is not None
    assert summary.stopped is not None
    assert summary.score is not None
    return summary.stopped.after, summary.score.value


async def test_a_tournament_drops_models_whose_pairs_are_settled() -> None:
    near = skilled("bc")
    entrants = Field({"m/good": GOOD, "m/near": near, "m/null": skilled("abcdefghijklmnopqrstuvwxy")})
    _, run, evaluations = await raced(entrants, stop=StopRule(margin=0.05, until="better"))
    assert run.state is State.SUCCEEDED
    null = evaluations[2].summary
    assert null is not None
    assert null.stopped is not None
    assert null.stopped.after < 60
    for one in evaluations[:2]:
        assert one.summary is not None
        stopped = one.summary.stopped
        assert (one.summary.total if stopped is None else stopped.after) > 2 * null.stopped.after


async def test_one_model_is_held_against_a_bar() -> None:
    _, _, [evaluation] = await raced(Field({"m/good": GOOD}), stop=StopRule.parse("score > 0.7"))
    assert evaluation.summary is not None
    assert evaluation.summary.stopped is not None
    [settled] = evaluation.summary.stopped.settled
    assert (settled.verdict, settled.against) == ("above", "bar of 0.7")
    assert evaluation.fingerprint.stop == "score against 0.7, alpha 0.05"


async def test_all_samples_of_an_item_are_asked_together() -> None:
    entrants = Field({"m/good": GOOD, "m/weak": WEAK})
    _, _, [ours, _] = await raced(entrants, samples=3, max_connections=1)
    assert ours.summary is not None
    assert ours.summary.stopped is not None
    assert ours.summary.total == 3 * ours.summary.stopped.after
    asked = [one.prompt.text for one in entrants.models["m/good"].requests]
    assert asked[0] == asked[1] == asked[2]


async def test_missing_answers_widen_and_a_retry_of_them_is_no_new_race() -> None:
    is_broken = True

    def silent(request: Request, number: int) -> Completion | AssayError:
        if is_broken and request.cue().right in {"k", "m"}:
            return ServerError("down", status=500)
        return GOOD(request, number)

    whole = await raced(Field({"m/good": GOOD, "m/weak": WEAK}))
    engine, run, [ours, theirs] = await raced(Field({"m/good": silent, "m/weak": WEAK}))
    assert decision(ours)[0] > decision(whole[2][0])[0]
    is_broken = False
    asked_before = await counted(engine, run, theirs)
    await retry_missing(engine.lifecycle, run.id)
    assert (await execute_run(engine, run.id)).state is State.SUCCEEDED
    [again, theirs] = await engine.stores.runs.evaluations(run.id)
    assert not await engine.stores.attempts.missing(again.id)
    assert decision(again) == decision(whole[2][0])
    assert await counted(engine, run, theirs) == asked_before


async def counted(engine: Engine, run: Run, evaluation: Evaluation) -> int:
    return sum((await engine.stores.attempts.outcome_counts([run.id]))[evaluation.id].values())


async def test_where_nothing_is_decided_all_is_asked_and_scored() -> None:
    same = Field({"m/one": skilled("ab"), "m/two": skilled("cd")})
    _, run, evaluations = await raced(same, stop=StopRule(until="better"))
    assert run.state is State.SUCCEEDED
    for one in evaluations:
        assert one.summary is not None
        assert one.summary.stopped is None
        assert (one.summary.total, one.summary.scored) == (SIZE, SIZE)


async def test_a_model_without_a_rival_asks_nothing_more() -> None:
    is_broke = True

    def broke(request: Request, number: int) -> Completion | AssayError:
        return UnauthorizedError("no credit") if is_broke else GOOD(request, number)

    entrants = Field({"m/broke": broke, "m/weak": WEAK})
    engine, run, [ours, theirs] = await raced(entrants)
    assert (run.state, ours.state, theirs.state) == (State.FAILED,) * 3
    assert theirs.error == "m/broke failed, so nothing is left to decide"
    assert await counted(engine, run, theirs) < SIZE / 4
    is_broke = False
    await requeue(engine.lifecycle, run.id)
    assert (await execute_run(engine, run.id)).state is State.SUCCEEDED
    [ours, theirs] = await engine.stores.runs.evaluations(run.id)
    assert decision(ours)[0] == decision(theirs)[0]


async def test_ordinary_comparisons_and_ranks_keep_away_from_what_stopped() -> None:
    engine, _, [ours, theirs] = await raced(Field({"m/good": GOOD, "m/weak": WEAK}))
    [compared] = await compare(engine.stores.attempts, [(ours, theirs)])
    assert "Stopped early by these very scores" in compared.sentence
    found = await entries(engine.stores.runs, "letters")
    board = await leaderboard(found, PairMemory(engine.stores.attempts))
    assert board.tables == ()
    assert {one.reason.partition(",")[0] for one in board.unranked} == {"it stopped early"}
