"""Runs of the telecom conversations: two models, interruptions, and models that do not play along."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from assay.benchmarks.tau2_telecom.task import benchmark
from assay.domain.attempt import Attempt
from assay.domain.benchmark import Cue, ItemId, Need, Services
from assay.domain.calls.messages import Completion, Generation, Prompt, ToolCall, Usage
from assay.domain.calls.transcript import transcript_in
from assay.domain.errors import GraderError, InvalidValueError, UnsupportedError
from assay.domain.judging import Judging
from assay.domain.outcome import Outcome
from assay.domain.run import Budget, Evaluation, Run, RunSpec, State
from assay.engine.execution import control
from assay.engine.execution.create import create_run
from assay.engine.execution.run_loop import execute_run
from assay.engine.planning.catalogue import Catalogue
from assay.engine.ports import Request
from tests.builders import ScriptedModel, World, rewired

USER = Judging(("test/user",))
NAMES = [item.id for item in benchmark.load(benchmark.demo_tables()).items]
NO_CUE = Cue()


def knowing(request: Request, _number: int) -> Completion:
    cue = request.cue()
    return Completion(cue.right or "", tool_calls=cue.calls, usage=Usage(input_tokens=100, output_tokens=10))


@dataclass
class TelecomWorld:
    """Agent and user are one scripted model: their prompts differ."""

    model: ScriptedModel = field(default_factory=lambda: ScriptedModel(knowing))
    world: World = field(init=False)

    def __post_init__(self) -> None:
        self.world = World(model=self.model)

    async def run(self, *items: str, user: Judging | None = USER, budget: Budget | None = None) -> Run:
        engine = rewired(self.world.engine, catalogue=Catalogue({"tau2_telecom": benchmark}))
        spec = RunSpec(
            ("test/agent",),
            ("tau2_telecom",),
            data="demo",
            items=tuple(map(ItemId, items)),
            user_model=user,
            max_connections=1,
            budget=budget or Budget(),
        )
        return await execute_run(engine, (await create_run(engine, spec)).id)

    async def resume(self, run: Run, budget: Budget) -> Run:
        engine = rewired(self.world.engine, catalogue=Catalogue({"tau2_telecom": benchmark}))
        await control.set_budget(self.world.store.runs, run.id, budget)
        await control.resume(engine.lifecycle, run.id)
        return await execute_run(engine, run.id)

    async def evaluation(self, run: Run) -> Evaluation:
        (evaluation,) = await self.world.store.runs.evaluations(run.id)
        return evaluation

    async def attempts(self, run: Run) -> list[Attempt]:
        evaluation = await self.evaluation(run)
        return [attempt async for attempt in self.world.store.attempts.whole(evaluation.id)]


def is_user(request: Request) -> bool:
    return request.prompt.messages[0].text.startswith("# How to play the customer")


async def test_a_run_without_a_model_for_the_user_is_refused_before_any_call() -> None:
    telecom = TelecomWorld()
    with pytest.raises(
        InvalidValueError, match=r"--user-model MODEL .its authors use openai/gpt-4.1-2025-04-14"
    ):
        await telecom.run(user=None)
    assert telecom.model.requests == []


async def test_both_models_talk_and_their_calls_are_recorded_apart() -> None:
    telecom = TelecomWorld()
    run = await telecom.run()
    assert run.state is State.SUCCEEDED
    attempts = await telecom.attempts(run)
    assert {attempt.outcome for attempt in attempts} == {Outcome.CORRECT}
    assert len(attempts) == len(NAMES)
    assert {call.role for attempt in attempts for call in attempt.calls} == {"model", "user"}
    evaluation = await telecom.evaluation(run)
    assert evaluation.fingerprint.user == "test/user"
    assert evaluation.fingerprint.limits == "at most 200 steps and 10 failed tool calls"
    assert evaluation.summary is not None
    assert list(evaluation.summary.metrics) == ["pass^1"]
    asked = [request for request in telecom.model.requests if is_user(request)]
    assert {request.generation.temperature for request in asked} == {0.0}
    assert len(asked) == sum(call.role == "user" for attempt in attempts for call in attempt.calls)


async def test_an_interrupted_conversation_goes_on_with_the_stored_replies_of_both() -> None:
    telecom = TelecomWorld()
    whole = await telecom.run("[service_issue]demo_unpaid")
    (expected,) = await telecom.attempts(whole)
    count = len(telecom.model.requests)
    assert count == 11

    other = TelecomWorld()
    run = await other.run("[service_issue]demo_unpaid", budget=Budget(tokens=250))
    assert run.state is State.PAUSED
    assert 0 < len(other.model.requests) < count
    run = await other.resume(run, Budget(tokens=1_000_000))
    (attempt,) = await other.attempts(run)
    assert len(other.model.requests) == count
    assert (attempt.outcome, attempt.answer) == (Outcome.CORRECT, expected.answer)
    assert [call.role for call in attempt.calls] == [call.role for call in expected.calls]


async def test_an_agent_that_ends_nothing_runs_into_the_limit() -> None:
    def talking(request: Request, number: int) -> Completion:
        return Completion(f"Well ({number})") if is_user(request) else Completion("Go on.")

    telecom = TelecomWorld(ScriptedModel(talking))
    (attempt,) = await telecom.attempts(await telecom.run(NAMES[0]))
    assert (attempt.outcome, attempt.score) == (Outcome.INCORRECT, 0.0)
    assert (attempt.details["ended"], attempt.details["steps"]) == ("max_steps", 200)
    assert len(telecom.model.requests) == 200


async def test_an_agent_that_says_nothing_is_wrong_and_a_silent_user_is_no_verdict() -> None:
    def silent_agent(request: Request, number: int) -> Completion:
        return knowing(request, number) if is_user(request) else Completion("")

    telecom = TelecomWorld(ScriptedModel(silent_agent))
    (attempt,) = await telecom.attempts(await telecom.run(NAMES[0]))
    assert (attempt.outcome, attempt.details["ended"]) == (Outcome.INCORRECT, "agent_error")

    telecom = TelecomWorld(ScriptedModel(lambda _request, _number: Completion("")))
    (attempt,) = await telecom.attempts(await telecom.run(NAMES[0]))
    assert attempt.outcome is Outcome.GRADER_ERROR
    assert attempt.error_message == "the model 'test/scripted', which plays the user, said nothing"


async def test_an_agent_whose_provider_refuses_is_recorded_as_refused() -> None:
    def refusing(request: Request, number: int) -> Completion:
        return knowing(request, number) if is_user(request) else Completion("", refusal="policy")

    telecom = TelecomWorld(ScriptedModel(refusing))
    (attempt,) = await telecom.attempts(await telecom.run(NAMES[0]))
    assert (attempt.outcome, attempt.score) == (Outcome.REFUSED, 0.0)
    assert transcript_in(attempt.answer) is not None


async def test_reasoning_is_kept_and_sent_to_nobody() -> None:
    def reasoning(request: Request, number: int) -> Completion:
        return replace(knowing(request, number), reasoning="secret thought")

    telecom = TelecomWorld(ScriptedModel(reasoning))
    (attempt,) = await telecom.attempts(await telecom.run(NAMES[0]))
    assert "secret thought" in attempt.reasoning
    assert not any("secret thought" in request.prompt.to_json() for request in telecom.model.requests)


@dataclass
class Replies:
    """The model that plays the user, with fixed replies."""

    left: list[Completion]
    model: str = "test/user"

    async def ask(self, prompt: Prompt, *, generation: Generation, cue: Cue, vote: int = 0) -> Completion:
        del prompt, generation, cue, vote
        return self.left.pop(0)


async def conversation(agent: Sequence[Completion], user: Sequence[Completion]) -> Completion:
    item_set = benchmark.load(benchmark.demo_tables())
    left = list(agent)

    async def ask(prompt: Prompt, *, cue: Cue = NO_CUE) -> Completion:
        del prompt, cue
        return left.pop(0)

    assert item_set.converse is not None
    return await item_set.converse(item_set.items[0], ask, Services(user_model=Replies(list(user))))


async def test_a_user_may_solve_it_alone_and_the_conversation_is_graded() -> None:
    calls = tuple(ToolCall("x", name, "{}") for name in ("toggle_airplane_mode", "toggle_data"))
    user = [Completion("Help."), Completion("", tool_calls=calls), Completion("Works. ###STOP###")]
    completion = await conversation([Completion("Try something.")], user)
    item = benchmark.load(benchmark.demo_tables()).items[0]
    assert (await benchmark.grade(item, completion, Services())).score == 1.0
    # Another phone than the one of the conversation: a stored answer does not fit.
    spoilt = replace(completion, answer=completion.answer.replace("Mobile Data is now ON", "It burns"))
    with pytest.raises(GraderError, match="'toggle_data' answers"):
        await benchmark.grade(item, spoilt, Services())


async def test_a_model_without_tools_does_not_play_the_user() -> None:
    class Plain(ScriptedModel):
        """Takes no tools when it is asked for the second time, which is as the user."""

        checks = 0

        async def check(self, needs: frozenset[Need] = frozenset()) -> None:
            self.checks += 1
            if self.checks > 1 and Need.TOOLS in needs:
                raise UnsupportedError("it takes no tools")

    telecom = TelecomWorld(Plain(knowing))
    run = await telecom.run(NAMES[0])
    assert run.state is State.FAILED
    assert telecom.model.requests == []
    assert "it takes no tools" in str((await telecom.evaluation(run)).error)
