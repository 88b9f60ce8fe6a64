"""Stored answers graded again: by another judge, after a failure, and against people's annotations."""

from dataclasses import dataclass, field, replace

import pytest

from assay.domain.benchmark import Cue, Grade, Item, JudgeFacts, Need, Services
from assay.domain.calls.messages import Completion, Generation, Prompt, Usage
from assay.domain.errors import AssayError, ConflictError, DataChangedError, InvalidValueError, ServerError
from assay.domain.judging import Judging
from assay.domain.outcome import Outcome
from assay.domain.review import Annotation, Label, Regrade
from assay.domain.run import Evaluation, Run, RunSpec, State
from assay.domain.summary import Tokens
from assay.engine.execution.create import create_run
from assay.engine.execution.engine import Engine
from assay.engine.execution.run_loop import execute_run
from assay.engine.graders.judge import JudgeQuestion, grade_by_judge
from assay.engine.models.retry import RetryPolicy
from assay.engine.ports import Request
from assay.engine.reviews.review import newest_labels
from tests.builders import CARD, NOON, LetterBenchmark, ScriptedModel, World, rewired

JUDGE = Judging(("test/judge",))
NEEDS = replace(CARD, needs=frozenset({Need.JUDGE}), judge=JudgeFacts("test/judge", 10, (1, 2)))


@dataclass(frozen=True)
class JudgedLetters(LetterBenchmark):
    """Letters that a judge compares."""

    async def grade(self, item: Item, completion: Completion, services: Services) -> Grade:
        expected = item.expected or ""
        cue = Cue(right="CORRECT", wrong="INCORRECT", judged=(completion.answer, expected))
        question = JudgeQuestion(Prompt.of_user("is it?"), Generation(), cue)
        return await grade_by_judge(services.required_panel(), question)


@dataclass
class Court:
    """A run of four letters, the last of which is answered wrong; `judge` says how judges behave."""

    judge: str = "fair"
    benchmark: LetterBenchmark = field(default_factory=lambda: JudgedLetters(card=NEEDS))

    def __post_init__(self) -> None:
        self.model = ScriptedModel(self._reply)
        self.world = World(benchmark=self.benchmark, model=self.model)

    def _reply(self, request: Request, _number: int) -> Completion | AssayError:
        usage = Usage(input_tokens=10, output_tokens=1)
        cue = request.cue()
        if cue.judged is None:
            answer = "z" if cue.right == "d" else cue.right or ""
            return Completion(answer, usage=usage)
        if self.judge == "down":
            return ServerError("down", status=500)
        said, expected = cue.judged
        is_right = (said == expected) is not (self.judge == "contrary")
        return Completion("CORRECT" if is_right else "INCORRECT", usage=usage)

    @property
    def engine(self) -> Engine:
        return rewired(self.world.engine, retries=RetryPolicy(deadline_s=0.0, doubtful_tries=1))

    async def run(self) -> tuple[Run, Evaluation]:
        judging = JUDGE if Need.JUDGE in self.benchmark.card.needs else None
        spec = RunSpec(("test/scripted",), ("letters",), data="demo", judge=judging)
        run = await execute_run(self.engine, (await create_run(self.engine, spec)).id)
        [evaluation] = await self.world.store.runs.evaluations(run.id)
        return run, evaluation

    async def regrade(self, run: Run, evaluation: Evaluation, judging: Judging | None = None) -> Regrade:
        return await self.engine.regrader.regrade(run, evaluation, judging=judging)


async def test_the_calls_of_judges_are_stored_apart_from_the_models() -> None:
    court = Court()
    run, evaluation = await court.run()
    assert run.state is State.SUCCEEDED
    summary = evaluation.summary
    assert summary is not None
    assert summary.score is not None
    assert (summary.score.value, summary.tokens.input, summary.judge_tokens) == (0.75, 40, Tokens(40, 4))
    assert evaluation.fingerprint.judge == "test/judge"
    async for attempt in court.world.store.attempts.whole(evaluation.id):
        assert [call.role for call in attempt.calls] == ["model", "judge"]
        assert attempt.tries == 1


async def test_another_judge_gives_another_score_and_both_are_kept() -> None:
    court = Court()
    run, evaluation = await court.run()
    asked = len(court.model.requests)
    court.judge = "contrary"
    judgement = await court.regrade(run, evaluation, Judging(("test/other",), votes=3))
    assert all(request.cue().judged for request in court.model.requests[asked:])
    assert judgement.judge == "test/other; 3 votes"
    assert judgement.summary is not None
    assert judgement.summary.score is not None
    assert judgement.summary.score.value == 0.25
    assert judgement.summary.judge_tokens == Tokens(120, 12)
    assert judgement.summary.agreement is not None
    assert judgement.summary.agreement.votes == 12
    assert await court.world.store.reviews.regrades(evaluation.id) == (judgement,)
    [unchanged] = await court.world.store.runs.evaluations(run.id)
    assert unchanged == evaluation
    changes = await court.engine.grading_comparison.changes(judgement)
    assert (changes.attempts, changes.raised, changes.lowered, changes.gained, changes.lost) == (
        4,
        1,
        3,
        0,
        0,
    )
    assert changes.agreement is not None
    assert changes.agreement.observed == 0
    assert len(changes.changed) == 4


async def test_what_a_judge_failed_on_is_graded_later() -> None:
    court = Court(judge="down")
    run, evaluation = await court.run()
    assert run.state is State.FAILED
    assert evaluation.summary is not None
    assert evaluation.summary.outcomes == {Outcome.GRADER_ERROR: 4}
    court.judge = "fair"
    judgement = await court.regrade(run, evaluation)
    assert judgement.judge == "test/judge"
    assert judgement.summary is not None
    assert judgement.summary.score is not None
    assert judgement.summary.score.value == 0.75
    changes = await court.engine.grading_comparison.changes(judgement)
    assert (changes.gained, changes.agreement) == (4, None)


async def test_a_judge_that_fails_then_loses_verdicts_and_says_so() -> None:
    court = Court()
    run, evaluation = await court.run()
    court.judge = "down"
    judgement = await court.regrade(run, evaluation)
    assert judgement.summary is not None
    assert (judgement.summary.score, judgement.summary.scored) == (None, 0)
    assert (await court.engine.grading_comparison.changes(judgement)).lost == 4


async def test_a_judgement_that_broke_off_is_continued() -> None:
    court = Court()
    run, evaluation = await court.run()
    whole = await court.regrade(run, evaluation)
    store = court.world.store
    half = Regrade(type(whole.id)("half"), evaluation.id, whole.grader, whole.judge, NOON)
    await store.reviews.add_regrade(half)
    await store.reviews.add_regraded(half.id, [one async for one in store.reviews.regraded(whole.id)][:3])
    asked = len(court.model.requests)
    continued = await court.regrade(run, evaluation)
    assert continued.id == half.id
    assert len(court.model.requests) == asked + 1
    assert continued.summary is not None
    assert continued.summary.scored == 4


async def test_without_a_judge_the_grader_of_now_decides() -> None:
    court = Court(benchmark=LetterBenchmark())
    run, evaluation = await court.run()
    judgement = await court.regrade(run, evaluation)
    assert (judgement.judge, judgement.grader) == (None, CARD.grader)
    assert judgement.summary is not None
    assert evaluation.summary is not None
    assert judgement.summary.score == evaluation.summary.score
    assert judgement.summary.judge_cost_usd is None
    assert (await court.engine.grading_comparison.changes(judgement)).changed == ()
    with pytest.raises(InvalidValueError, match="'letters' is not graded by a judge"):
        await court.regrade(run, evaluation, JUDGE)


async def test_answers_to_other_data_are_not_graded() -> None:
    court = Court()
    run, evaluation = await court.run()
    other = replace(evaluation, fingerprint=replace(evaluation.fingerprint, data_checksum="other"))
    with pytest.raises(DataChangedError, match="data_checksum differ"):
        await court.regrade(run, other)


async def test_a_run_under_way_is_not_graded_again() -> None:
    court = Court()
    run, evaluation = await court.run()
    with pytest.raises(ConflictError, match="is running"):
        await court.regrade(replace(run, state=State.RUNNING), evaluation)


async def test_agreement_with_people_counts_the_newest_label_of_each_attempt() -> None:
    court = Court()
    run, evaluation = await court.run()
    assert await court.engine.grading_comparison.human_agreement(evaluation) is None
    said = (("0", Label.WRONG), ("0", Label.GOLDEN), ("1", Label.FIX), ("3", Label.WRONG))
    for item, label in said:
        key = next(iter({one for one in evaluation.item_ids if one == item}))
        await court.world.store.reviews.add_annotation(Annotation(evaluation.id, key, 0, label, NOON))
    stored = await court.world.store.reviews.annotations(evaluation.id)
    assert [one.label for one in newest_labels(stored).values()] == [Label.GOLDEN, Label.FIX, Label.WRONG]
    agreement = await court.engine.grading_comparison.human_agreement(evaluation)
    assert agreement is not None
    # The grading says right, right, wrong; people say right, wrong, wrong.
    assert (agreement.n, agreement.observed) == (3, pytest.approx(2 / 3))
    assert agreement.base_rate == pytest.approx(2 / 3)
    assert agreement.kappa == pytest.approx(0.4)
    court.judge = "contrary"
    judgement = await court.regrade(run, evaluation)
    contrary = await court.engine.grading_comparison.human_agreement(evaluation, judgement)
    assert contrary is not None
    assert contrary.observed == pytest.approx(1 / 3)
