"""Several graders of one answer: their weighted mean, bounds on time and cost, and judges."""

from collections.abc import Sequence
from decimal import Decimal

import pytest

from assay.adapters.sandbox.scripted import ScriptedSandbox
from assay.domain.benchmark import Cue, Panel, Services
from assay.domain.calls.messages import Completion, Generation, Prompt
from assay.domain.calls.timing import StreamTiming
from assay.domain.errors import GraderError
from assay.domain.json_value import Json
from assay.domain.outcome import Outcome
from assay.engine.graders.rules.combined import Asked, grade_by_rules
from assay.engine.graders.rules.reading import read_rules
from tests.builders import called_here

REPLY = Completion(
    "It is Paris.", timing=StreamTiming(duration_ms=1_500.0, ttft_ms=200.0), cost_usd=Decimal("0.002")
)


class Says:
    model = "judge"

    def __init__(self, word: str) -> None:
        self.word = word
        self.asked: list[str] = []

    async def ask(self, prompt: Prompt, *, generation: Generation, cue: Cue, vote: int = 0) -> Completion:
        self.asked.append(prompt.text)
        return Completion(self.word)


async def outcome(rules: Json, reply: Completion = REPLY, judge: Says | None = None) -> tuple[Outcome, float]:
    services = Services(isolated=called_here, panel=Panel((judge,)) if judge else None)
    grade = await grade_by_rules(read_rules(rules), Asked("Capital?", "Paris"), reply, services)
    return grade.outcome, grade.score


async def test_the_score_is_the_weighted_mean() -> None:
    half = ["contains", {"name": "exact", "weight": 3}]
    assert await outcome(half) == (Outcome.PARTIAL, 0.25)
    assert await outcome(["contains", {"name": "regex", "expected": r"Paris\."}]) == (Outcome.CORRECT, 1.0)
    assert await outcome(["exact", {"name": "regex", "expected": "Rome"}]) == (Outcome.INCORRECT, 0.0)
    thirds = [{"name": "contains", "weight": weight} for weight in (0.1, 0.2, 0.7)]
    assert await outcome(thirds) == (Outcome.CORRECT, 1.0)
    assert await outcome(["contains", "exact"], Completion(" ")) == (Outcome.UNPARSED, 0.0)


@pytest.mark.parametrize(
    ("rule", "is_right"),
    [
        ({"name": "latency", "max_s": 1.5}, True),
        ({"name": "latency", "max_s": 1.4}, False),
        ({"name": "latency", "max_s": 2, "max_ttft_s": 0.1}, False),
        ({"name": "cost", "max_usd": 0.002}, True),
        ({"name": "cost", "max_usd": 0.001}, False),
    ],
)
async def test_bounds_on_time_and_cost(rule: Json, is_right: bool) -> None:  # noqa: FBT001
    assert await outcome(rule) == ((Outcome.CORRECT, 1.0) if is_right else (Outcome.INCORRECT, 0.0))


@pytest.mark.parametrize("rule", [{"name": "latency", "max_s": 9}, {"name": "cost", "max_usd": 9}])
async def test_a_bound_on_what_is_unknown_is_no_verdict(rule: Json) -> None:
    with pytest.raises(GraderError):
        await outcome(["contains", rule], Completion("It is Paris."))


async def test_similarity_is_the_cosine_to_the_nearest_text() -> None:
    vectors = {"said": [3.0, 4.0], "near": [4.0, 3.0], "away": [-3.0, -4.0]}

    async def embed(model: str, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        assert model == "openai/small"
        return [vectors.get(text, [0.0, 0.0]) for text in texts]

    async def graded(expected: Json, answer: str = "said", **options: Json) -> tuple[Outcome, float]:
        rules = read_rules({"name": "similarity", "model": "openai/small", **options})
        grade = await grade_by_rules(rules, Asked("", expected), Completion(answer), Services(embed=embed))
        return grade.outcome, grade.score

    assert await graded(["away", "near"]) == (Outcome.PARTIAL, 0.96)
    assert await graded("near", at_least=0.95) == (Outcome.CORRECT, 1.0)
    assert await graded("near", at_least=0.97) == (Outcome.INCORRECT, 0.0)
    assert await graded("away") == (Outcome.INCORRECT, 0.0)
    assert await graded("said") == (Outcome.CORRECT, 1.0)
    assert await graded("near", "  ") == (Outcome.INCORRECT, 0.0)
    with pytest.raises(GraderError, match="without a direction"):
        await graded("unknown")
    rules = read_rules({"name": "similarity", "model": "openai/small"})
    with pytest.raises(GraderError, match="none is asked where stored answers are checked"):
        await grade_by_rules(rules, Asked("", "near"), REPLY, Services())


async def test_a_judge_is_asked_by_the_rubric_and_its_reply_can_be_read_again() -> None:
    judge = Says("INCORRECT")
    rules = read_rules([{"name": "judge", "rubric": "It is polite."}, "contains"])
    services = Services(isolated=called_here, panel=Panel((judge,)))
    grade = await grade_by_rules(rules, Asked("Capital?", "Paris"), REPLY, services)
    assert (grade.outcome, grade.score, grade.explanation) == (Outcome.PARTIAL, 0.5, "INCORRECT")
    assert "[Rubric]\nIt is polite." in judge.asked[0]
    assert "[Question]\nCapital?" in judge.asked[0]
    parts = grade.details["graders"]
    assert isinstance(parts, list)
    assert [part["name"] for part in parts if isinstance(part, dict)] == ["judge", "contains"]


async def test_a_function_that_fails_or_returns_nonsense_is_no_verdict() -> None:
    rule = read_rules({"name": "python", "function": "def grade(answer, expected): return 1"})
    for printed, fault in ((b"", "nothing that is JSON"), (b'"yes"', "not 'yes'"), (b"2", "not 2")):
        sandbox = ScriptedSandbox(lambda _source, _case, said=printed: said)
        with pytest.raises(GraderError, match=fault):
            await grade_by_rules(rule, Asked("", "x"), REPLY, Services(sandbox=sandbox))
