import pytest

from assay.adapters.models.sim import SimulatedModel
from assay.domain.benchmark import Cue
from assay.domain.calls.messages import Completion, Generation, Prompt
from assay.domain.calls.timing import StreamTiming
from assay.domain.errors import (
    CallError,
    ConnectionFailedError,
    InvalidValueError,
    RateLimitedError,
    ServerError,
    UnknownNameError,
    UsageError,
)
from assay.engine.ports import Request

LETTERS = Cue(right="A good answer is (C).", wrong="A good answer is (B).", choices=("A", "B", "C", "D"))


class FakeTime:
    """A clock that only moves when somebody sleeps."""

    def __init__(self) -> None:
        self.at_s = 100.0

    def now_s(self) -> float:
        return self.at_s

    async def sleep(self, seconds: float) -> None:
        self.at_s += seconds


def request(
    number: int = 0, *, cue: Cue = LETTERS, sample: int = 0, max_tokens: int | None = None
) -> Request:
    generation = Generation(max_tokens=max_tokens)
    return Request(Prompt.of_user(f"question {number}"), generation, lambda: cue, sample)


async def ask(model: str, asked: Request | None = None) -> Completion:
    return await SimulatedModel(model).complete(asked or request())


async def answers(model: str, *, count: int = 400, sample: int = 0) -> list[str]:
    client = SimulatedModel(model)
    return [(await client.complete(request(number, sample=sample))).answer for number in range(count)]


async def test_baselines_say_what_their_names_promise() -> None:
    assert (await ask("sim/null")).answer == ""
    assert (await ask("sim/echo")).answer == "question 0"
    assert (await ask("sim/oracle")).answer == LETTERS.right


async def test_refusal_is_text_and_not_the_providers_signal() -> None:
    completion = await ask("sim/refuse")
    assert completion.answer
    assert not completion.is_refused


async def test_random_choices_have_the_form_of_the_right_answer_and_are_even() -> None:
    got = await answers("sim/random", count=800)
    counts = [got.count(f"A good answer is ({letter}).") for letter in LETTERS.choices]
    assert sum(counts) == 800
    assert all(150 < count < 250 for count in counts)


async def test_random_without_a_form_or_without_choices() -> None:
    bare = await ask("sim/random", request(cue=Cue(choices=("12", "13"))))
    assert bare.answer in ("12", "13")
    words = await ask("sim/random", request(cue=Cue()))
    assert len(words.answer.split()) == 8


@pytest.mark.parametrize("name", ["oracle", "good", "weak"])
async def test_models_that_must_know_say_what_to_do_without_a_cue(name: str) -> None:
    with pytest.raises(UsageError, match="--data demo"):
        await ask(f"sim/{name}", request(cue=Cue(wrong="x")))


@pytest.mark.parametrize(
    ("model", "share"), [("sim/good", 0.85), ("sim/weak", 0.45), ("sim/good?skill=0.6", 0.6)]
)
async def test_skill_is_met(model: str, share: float) -> None:
    got = await answers(model, count=1000)
    assert got.count(LETTERS.right or "") / 1000 == pytest.approx(share, abs=0.05)
    assert set(got) == {LETTERS.right, LETTERS.wrong}


@pytest.mark.parametrize(("model", "expected"), [("sim/weak?skill=0", 0), ("sim/weak?skill=1", 100)])
async def test_skill_at_its_ends(model: str, expected: int) -> None:
    assert (await answers(model, count=100)).count(LETTERS.right or "") == expected


async def test_answers_repeat_and_vary_with_seed_and_sample() -> None:
    first = await answers("sim/good?seed=3")
    assert await answers("sim/good?seed=3") == first
    assert await answers("sim/good?seed=4") != first
    other_sample = await answers("sim/good?seed=3", sample=1)
    changed = sum(one != other for one, other in zip(first, other_sample, strict=True))
    assert 0 < changed < 120


async def test_wrong_answer_without_one_in_the_cue() -> None:
    other = await ask("sim/weak?skill=0", request(cue=Cue(right="It is (C).", choices=("A", "C"))))
    assert other.answer == "It is (A)."
    none = await ask("sim/weak?skill=0", request(cue=Cue(right="42")))
    assert none.answer == "I do not know."


async def test_usage_follows_the_length() -> None:
    completion = await ask("sim/echo", Request(Prompt.of_user("x" * 41), Generation()))
    assert (completion.usage.input_tokens, completion.usage.output_tokens) == (11, 11)
    assert (await ask("sim/null")).usage.output_tokens == 0


async def test_token_cap_cuts() -> None:
    completion = await ask("sim/oracle", request(max_tokens=2))
    assert (completion.answer, completion.is_cut) == ("A good a", True)
    assert not (await ask("sim/oracle", request(max_tokens=100))).is_cut


async def test_delay_and_pace_are_kept() -> None:
    time = FakeTime()
    client = SimulatedModel("sim/oracle?delay_ms=200&tokens_per_s=10", now_s=time.now_s, sleep=time.sleep)
    timing = (await client.complete(request())).timing
    assert timing is not None
    assert timing.ttft_ms == pytest.approx(200)
    assert timing.max_gap_ms == pytest.approx(100)
    assert timing.chunks == 6
    assert timing.duration_ms == pytest.approx(700)


async def test_stall_shows_in_the_timing() -> None:
    time = FakeTime()
    client = SimulatedModel("sim/oracle?stall=1&stall_ms=3000", now_s=time.now_s, sleep=time.sleep)
    timing = (await client.complete(request())).timing
    assert timing is not None
    assert (timing.stalls, timing.max_gap_ms) == (1, pytest.approx(3000))


async def test_no_option_means_no_sleep() -> None:
    async def sleep(_seconds: float) -> None:
        pytest.fail("slept")

    timing = (await SimulatedModel("sim/good", sleep=sleep).complete(request())).timing
    assert isinstance(timing, StreamTiming)
    assert timing.chunks == 1


@pytest.mark.parametrize(
    ("option", "error"),
    [("error", ServerError), ("rate_limit", RateLimitedError), ("cut", ConnectionFailedError)],
)
async def test_failures_come_as_often_as_asked_and_pass_on_another_try(
    option: str, error: type[CallError]
) -> None:
    client = SimulatedModel(f"sim/good?{option}=0.3")
    failures = 0
    for number in range(300):
        for _ in range(20):
            try:
                await client.complete(request(number))
                break
            except error:
                failures += 1
        else:
            pytest.fail("never passed")
    assert failures / (300 + failures) == pytest.approx(0.3, abs=0.06)


async def test_rate_limit_says_how_long() -> None:
    with pytest.raises(RateLimitedError) as caught:
        await ask("sim/good?rate_limit=1&retry_after_s=2.5")
    assert caught.value.retry_after_s == 2.5


def test_unknown_names_are_told_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="'oracle'"):
        SimulatedModel("sim/orakle")
    with pytest.raises(UnknownNameError, match="'delay_ms'"):
        SimulatedModel("sim/good?delay=3")


@pytest.mark.parametrize("query", ["delay_ms=soon", "error=1.5", "delay_ms=-1", "tokens_per_s=inf", "seed="])
def test_bad_options(query: str) -> None:
    with pytest.raises(InvalidValueError, match=query.partition("=")[0]):
        SimulatedModel(f"sim/good?{query}")


def judged(given: str, expected: str) -> Request:
    cue = Cue(right="CORRECT", wrong="INCORRECT", judged=(given, expected))
    return Request(Prompt.of_user(f"is {given[:50]!r} {expected!r}?"), Generation(), cue=lambda: cue)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("Paris", "paris"),
        ("The Great Wall.", "great wall"),
        ("Explanation: no doubt.\nAnswer: 3.67\nConfidence: 90%", "3.67"),
        ("**Answer:** A", "A"),
        ("Answer: B\nNo, wait.\nAnswer: C", "C"),
        ("Tern Line,  60", "Tern Line, 60"),
    ],
)
async def test_the_judge_calls_the_expected_answer_right(given: str, expected: str) -> None:
    assert (await SimulatedModel("sim/judge").complete(judged(given, expected))).answer == "CORRECT"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("London", "Paris"),
        ("It is Paris, surely", "Paris"),
        ("-5", "5"),
        ("3.67", "367"),
        ("", "Paris"),
        ("An", "A B"),
        ("Paris " * 200_000, "Paris"),
    ],
)
async def test_the_judge_calls_anything_else_wrong(given: str, expected: str) -> None:
    assert (await SimulatedModel("sim/judge").complete(judged(given, expected))).answer == "INCORRECT"


async def test_a_judge_of_less_skill_errs_as_often_as_asked() -> None:
    judge = SimulatedModel("sim/judge?skill=0.8")
    replies = [(await judge.complete(judged(str(number), str(number)))).answer for number in range(500)]
    assert replies.count("CORRECT") / 500 == pytest.approx(0.8, abs=0.06)


async def test_the_judge_gives_no_answers_of_its_own() -> None:
    with pytest.raises(UsageError, match="name it with --judge"):
        await SimulatedModel("sim/judge").complete(Request(Prompt.of_user("2 + 2?"), Generation()))
