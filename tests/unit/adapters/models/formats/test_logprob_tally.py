from functools import reduce
from typing import Any

import pytest

from assay.adapters.models.formats.logprob_tally import LogprobTally
from assay.domain.calls.logprobs import Logprobs

DEEP: Any = reduce(lambda inner, _: [inner], range(500), 0)


def tallied(*pieces: Any) -> Logprobs | None:
    tally = LogprobTally()
    for piece in pieces:
        tally.add(piece, "logprob")
    return tally.logprobs()


def test_pieces_are_added_up() -> None:
    found = tallied([{"logprob": -0.5}], [], [{"logprob": 0}, {"logprob": -2.5}])
    assert found is not None
    assert found.to_json() == {"tokens": 3, "mean": -1.0, "lowest": -2.5}


@pytest.mark.parametrize(
    "value",
    [None, "-1", True, [], {}, DEEP, 1.0, -10_001, 10**400, -(10**400), *map(float, ("nan", "inf", "-inf"))],
)
def test_what_is_no_log_probability_is_passed_over(value: Any) -> None:
    assert tallied([{"logprob": value}]) is None
    assert tallied([{"logprob": value}, {"logprob": -1.0}]) == Logprobs(1, -1.0, -1.0)


@pytest.mark.parametrize("tokens", [None, "ab", 3, {"logprob": -1.0}, [None, 1, "a", [], {}], DEEP])
def test_other_shapes_are_passed_over(tokens: Any) -> None:
    assert tallied(tokens) is None
