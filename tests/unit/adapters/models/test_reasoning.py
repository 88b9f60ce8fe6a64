import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.models.reasoning import split_tags


@pytest.mark.parametrize(
    ("text", "reasoning", "answer"),
    [
        ("<think>why</think>B", "why", "B"),
        ("\n <think>\nwhy\n</think>\n\nB", "why", "B"),
        ("<thinking>why</thinking>\nB", "why", "B"),
        ("<think></think>\n\nB", "", "B"),
        ("<think>a</think><think>b</think>B", "a\n\nb", "B"),
        (f"<think>a</think><think>{'b' * 200}</think>\n<think>c</think>B", f"a\n\n{'b' * 200}\n\nc", "B"),
        ("<think>a</think>B, see <think>this</think>", "a", "B, see <think>this</think>"),
        ("<think>a</thinking>b</think>B", "a</thinking>b", "B"),
        ("why\n</think>\n\nB", "why", "B"),
        ("why</think>B", "why", "B"),
        ("split at '</think>' or not?\n</think>\nB", "split at '</think>' or not?", "B"),
        ("why</think>", "why", ""),
    ],
)
def test_tagged_reasoning_is_taken_apart(text: str, reasoning: str, answer: str) -> None:
    tagged = split_tags(text)
    assert tagged is not None
    assert (tagged.reasoning, tagged.answer, tagged.is_unclosed) == (reasoning, answer, False)
    assert text[tagged.answer_start :] == answer


@pytest.mark.parametrize(
    "text",
    [
        "",
        "B",
        "The tag <think> opens reasoning.",
        "B. Write <think>thoughts</think> like this.",
        "Cut at `</think>` to get the answer.",
        'Use text.split("</think>")[1].',
        "```python\ntext.partition(x)\n</think>\n```",
        "Run `echo </think> now` to see it.",
        "<thinker>no</thinker>",
    ],
)
def test_text_about_tags_stays_whole(text: str) -> None:
    assert split_tags(text) is None


@pytest.mark.parametrize("text", ["<think>why", "  <think>why ", "<thinking>why</think"])
def test_unclosed_tag_leaves_no_answer(text: str) -> None:
    tagged = split_tags(text)
    assert tagged is not None
    assert tagged.is_unclosed
    assert (tagged.answer, tagged.answer_start) == ("", len(text))
    assert tagged.reasoning.startswith("why")


def test_closing_tag_alone_is_text_where_reasoning_came_apart() -> None:
    assert split_tags("why</think>B", is_prefill_likely=False) is None
    assert split_tags("<think>why</think>B", is_prefill_likely=False) is not None


PLAIN = st.text(st.characters(exclude_characters="<", exclude_categories=["Cs"]))


@given(PLAIN, PLAIN)
def test_reasoning_and_answer_come_back(reasoning: str, answer: str) -> None:
    tagged = split_tags(f"<think>{reasoning}</think>{answer}")
    assert tagged is not None
    assert (tagged.reasoning, tagged.answer) == (reasoning.strip(), answer.lstrip())


@given(
    st.lists(st.sampled_from(["<think>", "</think>", "</thinking>", "`", "'", "\n", " ", "why"])).map("".join)
)
def test_any_mixture_of_tags_is_handled(text: str) -> None:
    tagged = split_tags(text)
    if tagged is not None:
        assert text[tagged.answer_start :] == tagged.answer
        assert tagged.answer == "" or not tagged.is_unclosed
