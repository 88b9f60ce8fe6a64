from collections import Counter
from collections.abc import Callable

import pytest

from assay.domain.calls.messages import Completion
from assay.domain.errors import AssayError, InvalidValueError, RejectedError
from assay.engine.ports import Request
from assay.engine.results.noise import NoiseReport, Pass, noise_reports
from tests.builders import LetterBenchmark, ScriptedModel, World

Script = Callable[[Request, int], Completion | AssayError]


class Wavering:
    """Knows all letters but the first, which it says every other time, and fails on the second once."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    def __call__(self, request: Request, _number: int) -> Completion | AssayError:
        letter = request.prompt.text[-2]
        self.asked[letter] += 1
        if letter == "b" and self.asked[letter] == 1:
            return RejectedError("too long", status=400)
        return Completion("z" if letter == "a" and self.asked[letter] % 2 else letter)


async def reported(script: Script, *, samples: int = 4, size: int = 8) -> NoiseReport:
    world = World(LetterBenchmark(size=size), ScriptedModel(script))
    [found] = await noise_reports(world.store, await world.run(samples=samples))
    return found


async def test_the_spread_of_a_model_is_given_by_item_and_by_pass() -> None:
    found = await reported(Wavering())
    assert found.noise is not None
    assert (found.noise.items, found.noise.flip_rate) == (8, 0.125)
    assert found.noise.noise_floor > 0
    [item] = found.items
    assert item.item_id == "0"
    assert sorted(score for score in item.scores if score is not None) == [0, 0, 1, 1]
    assert found.missing == 1
    assert sum(one.n for one in found.passes) == 31
    assert {one.score for one in found.passes} <= {1.0, 6 / 7, 7 / 8}


async def test_a_steady_model_has_no_noise() -> None:
    found = await reported(lambda request, _number: Completion(request.prompt.text[-2]))
    assert found.noise is not None
    assert (found.noise.flip_rate, found.noise.noise_floor, found.items) == (0, 0, ())
    assert found.passes == (Pass(1.0, 8),) * 4


async def test_where_nothing_has_two_verdicts_nothing_is_known() -> None:
    found = await reported(lambda _request, _number: RejectedError("no", status=400), samples=2)
    assert (found.noise, found.missing, found.items) == (None, 16, ())
    assert found.passes == (Pass(None, 0),) * 2


async def test_items_are_limited_and_the_least_steady_come_first() -> None:
    asked: Counter[str] = Counter()

    def wavering(request: Request, number: int) -> Completion:
        asked[request.prompt.text] += 1
        return Completion(request.prompt.text[-2] if number % 3 else "z")

    found = await reported(wavering, size=400)
    assert len(found.items) == 100
    sums = [sum(score or 0 for score in one.scores) for one in found.items]
    assert sums[0] == 2
    assert found.noise is not None
    assert found.noise.flip_rate > 0.25


async def test_a_run_that_asked_once_says_nothing() -> None:
    world = World()
    run = await world.run()
    with pytest.raises(InvalidValueError, match="asked each item once"):
        await noise_reports(world.store, run)
