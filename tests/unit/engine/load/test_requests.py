"""Lengths, prompts and the limits of goodput."""

from random import Random
from statistics import fmean, stdev

import pytest

from assay.domain.calls.messages import Prompt
from assay.domain.errors import InvalidValueError
from assay.domain.load import LoadSpec, Stage
from assay.engine.load.goodput import read_goodput
from assay.engine.load.lengths import Lengths
from assay.engine.load.prompts import Requests

SPEC = LoadSpec("sim/echo", "closed", (Stage(1, 1),))


def drawn(text: str, count: int = 4_000) -> list[int]:
    random, lengths = Random(5), Lengths.read(text)  # noqa: S311
    return [lengths.draw(random) for _ in range(count)]


@pytest.mark.parametrize(
    ("text", "mean", "deviation"),
    [
        ("128", 128, 0),
        ("uniform:100-200", 150, 29),
        ("normal:500,50", 500, 50),
        ("lognormal:200,100", 200, 100),
    ],
)
def test_lengths_have_the_mean_and_deviation_asked_for(text: str, mean: float, deviation: float) -> None:
    lengths = drawn(text)
    assert fmean(lengths) == pytest.approx(mean, rel=0.03)
    assert stdev(lengths) == pytest.approx(deviation, rel=0.08)


def test_no_length_is_less_than_1() -> None:
    assert min(drawn("normal:2,50")) == 1


@pytest.mark.parametrize("text", ["", "0", "-5", "normal:5", "5,3", "uniform:9-3", "beta:1,2", "9999999"])
def test_a_length_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(InvalidValueError):
        Lengths.read(text)


def test_prompts_have_the_length_asked_for_and_differ_from_the_start() -> None:
    requests = Requests(LoadSpec("sim/echo", "closed", (Stage(1, 1),), prompt_tokens="300"))
    texts = [requests.request(number).prompt.text for number in range(50)]
    assert all(280 <= len(text.split()) <= 310 for text in texts)
    assert len({text[:14] for text in texts}) == 50


def test_the_longest_prompt_can_be_made() -> None:
    requests = Requests(LoadSpec("sim/echo", "closed", (Stage(1, 1),), prompt_tokens="1000000"))
    assert len(requests.request(0).prompt.text.split()) > 999_000


def test_a_request_depends_on_its_number_and_the_seed_alone() -> None:
    first, again = Requests(SPEC), Requests(SPEC)
    later = [again.request(number) for number in (2, 1, 0)]
    assert [first.request(number) for number in range(3)] == later[::-1]


def test_given_prompts_are_sent_in_turn() -> None:
    given = (Prompt.of_user("one"), Prompt.of_body({"messages": [{"role": "user", "content": "two"}]}))
    spec = LoadSpec("sim/echo", "closed", (Stage(1, 1),), output_tokens=None, ignore_eos=True)
    asked = [Requests(spec, given).request(number) for number in range(3)]
    assert [one.prompt.text for one in asked] == ["one", "two", "one"]
    assert asked[0].prompt.extra == {"ignore_eos": True}
    assert asked[1].prompt.body is not None
    assert asked[1].prompt.body["ignore_eos"] is True
    assert asked[0].generation.max_tokens is None


def test_goodput_limits_are_read_with_their_units() -> None:
    limits = read_goodput("ttft<500ms, e2e < 5s,tokens_per_s>20")
    good = {"ttft_ms": 499.0, "e2e_ms": 4_999.0, "tokens_per_s": 20.1}
    assert all(limit.is_kept(good) for limit in limits)
    for name, value in (("ttft_ms", 500.0), ("e2e_ms", 5_000.0), ("tokens_per_s", 20.0)):
        assert not all(limit.is_kept(good | {name: value}) for limit in limits)


def test_what_was_not_measured_keeps_no_limit() -> None:
    [limit] = read_goodput("ttft<500ms")
    assert not limit.is_kept({"e2e_ms": 1.0})


@pytest.mark.parametrize("text", ["ttft", "ttft<5", "ttft>5ms", "speed<5ms", "tokens_per_s<5", "ttft<5ms;"])
def test_a_goodput_limit_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(InvalidValueError):
        read_goodput(text)
