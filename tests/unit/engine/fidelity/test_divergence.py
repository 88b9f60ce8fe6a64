from collections.abc import AsyncIterator

from hypothesis import given
from hypothesis import strategies as st

from assay.domain.attempt import AttemptKey
from assay.domain.benchmark import ItemId
from assay.domain.calls.transcript import transcript_text
from assay.engine.fidelity.divergence import Divergence, DivergenceTally, first_difference, spoken


@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_the_first_difference_is_where_the_texts_part(same: str, ours: str, theirs: str) -> None:
    place = first_difference(same + ours, same + theirs)
    if ours == theirs:
        assert place is None
    else:
        assert place is not None
        assert place >= len(same)
        assert (same + ours)[:place] == (same + theirs)[:place]
        assert (same + ours)[place : place + 1] != (same + theirs)[place : place + 1]


def test_ids_of_calls_and_what_tools_say_are_no_difference() -> None:
    def conversation(call_id: str, said: str, arguments: str = '{"city": "Bern"}') -> str:
        call = {"id": call_id, "type": "function", "function": {"name": "weather", "arguments": arguments}}
        return transcript_text(
            [
                {"role": "assistant", "content": "", "tool_calls": [call]},
                {"role": "tool", "tool_call_id": call_id, "content": said},
                {"role": "assistant", "content": "It rains."},
            ]
        )

    one = spoken(conversation("a1", "rain"))
    assert one == spoken(conversation("b2", "showers")) == '\nweather({"city": "Bern"})\nIt rains.'
    assert first_difference(one, spoken(conversation("a1", "rain", '{"city": "Basel"}'))) == 20


def test_a_conversation_of_another_form_is_read_as_far_as_it_goes() -> None:
    odd = transcript_text([{"role": "assistant", "content": None, "tool_calls": [1, {"function": "x"}, {}]}])
    assert spoken(odd) == ""
    assert spoken("{}") == "{}"


async def answers(**texts: str) -> AsyncIterator[tuple[AttemptKey, str]]:
    for name, text in texts.items():
        yield AttemptKey(ItemId(name[0]), int(name[1])), text


async def test_answers_are_paired_by_item_and_sample_whatever_is_missing() -> None:
    tally = DivergenceTally()
    ours = answers(a0="one", a1="two", b0="three", d0="same")
    await tally.between(ours, answers(a1="two!", b0="thief", c0="four", d0="same", e0="five"))
    assert tally.divergence == Divergence(pairs=3, identical=1, median_chars=2.5)


async def test_long_answers_are_compared_too() -> None:
    tally = DivergenceTally()
    await tally.between(answers(a0="x" * 9_000), answers(a0="x" * 6_000 + "y"))
    assert tally.divergence == Divergence(pairs=1, identical=0, median_chars=6_000.0)


async def test_samples_of_one_item_are_compared_in_turn() -> None:
    tally = DivergenceTally()
    await tally.among(answers(a0="yes", a1="yes", a2="no", b0="yes", c0="no"))
    assert tally.divergence == Divergence(pairs=2, identical=1, median_chars=0.0)
    assert DivergenceTally().divergence is None
