"""States change only along legal ways; specifications are checked when they are made."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.domain.calls.messages import Generation
from assay.domain.errors import IllegalTransitionError, InvalidValueError
from assay.domain.run import Budget, OverallScore, RunSpec, State, Subset, overall_score

LEGAL = {
    (State.QUEUED, State.RUNNING),
    (State.RUNNING, State.PAUSED),
    (State.RUNNING, State.SUCCEEDED),
    (State.RUNNING, State.FAILED),
    (State.RUNNING, State.CANCELED),
    (State.PAUSED, State.QUEUED),
    (State.PAUSED, State.CANCELED),
    (State.FAILED, State.QUEUED),
}
ILLEGAL = {
    (State.PAUSED, State.RUNNING),
    (State.CANCELED, State.RUNNING),
    (State.FAILED, State.RUNNING),
    (State.QUEUED, State.SUCCEEDED),
    (State.PAUSED, State.SUCCEEDED),
    (State.PAUSED, State.FAILED),
    (State.SUCCEEDED, State.FAILED),
    (State.SUCCEEDED, State.CANCELED),
    (State.CANCELED, State.SUCCEEDED),
    (State.FAILED, State.PAUSED),
}


@pytest.mark.parametrize(("source", "target"), sorted(LEGAL))
def test_legal_transitions(source: State, target: State) -> None:
    source.require_transition(target)


@pytest.mark.parametrize(("source", "target"), sorted(ILLEGAL))
def test_illegal_transitions_name_what_is_possible(source: State, target: State) -> None:
    with pytest.raises(IllegalTransitionError, match="possible:"):
        source.require_transition(target)


@pytest.mark.parametrize("state", list(State))
def test_no_state_leads_to_itself(state: State) -> None:
    with pytest.raises(IllegalTransitionError):
        state.require_transition(state)


@given(st.integers())
def test_a_subset_is_1_to_100_percent(percent: int) -> None:
    if 1 <= percent <= 100:
        assert Subset(percent=percent).percent == percent
    else:
        with pytest.raises(InvalidValueError, match="1 to 100"):
            Subset(percent=percent)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Subset(count=0),
        lambda: Subset(seed="s" * 129),
        lambda: Budget(usd=Decimal(0)),
        lambda: Budget(usd=Decimal(-1)),
        lambda: Budget(tokens=0),
        lambda: RunSpec((), ("mmlu_pro",)),
        lambda: RunSpec(("m",), ()),
        lambda: RunSpec(("m",), ("b",), samples=0),
        lambda: RunSpec(("m",), ("b",), max_connections=0),
        lambda: Generation(temperature=-0.1),
        lambda: Generation(temperature=2.1),
        lambda: Generation(top_p=0),
        lambda: Generation(max_tokens=0),
    ],
)
def test_values_out_of_range_are_refused(make: object) -> None:
    assert callable(make)
    with pytest.raises(InvalidValueError):
        make()


@pytest.mark.parametrize("state", [State.CANCELED, State.QUEUED, State.PAUSED, State.RUNNING])
def test_a_run_that_did_not_end_has_no_overall_score(state: State) -> None:
    assert overall_score(state, 1, [(state, 1.0)]) == OverallScore(None, 0, 1)


def test_an_overall_score_says_how_many_evaluations_it_counts() -> None:
    evaluations = [(State.SUCCEEDED, 0.5)] * 5 + [(State.SUCCEEDED, 1.0), (State.FAILED, 0.0)]
    assert overall_score(State.FAILED, 1, evaluations) == OverallScore(3.5 / 6, 6, 7)


def test_several_models_have_no_overall_score() -> None:
    evaluations = [(State.SUCCEEDED, 0.5), (State.SUCCEEDED, 1.0)]
    assert overall_score(State.SUCCEEDED, 2, evaluations) == OverallScore(None, 2, 2)
