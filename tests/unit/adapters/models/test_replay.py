"""Models that answer with a reply that was given."""

from pathlib import Path

import pytest

from assay.adapters.models.directory import HttpModelDirectory
from assay.adapters.models.replay import KeptReplies
from assay.domain.calls.messages import Generation, Prompt
from assay.domain.errors import EndpointError, InvalidValueError, UnknownNameError
from assay.engine.ports import Request

REQUEST = Request(Prompt.of_user("Which letter?"), Generation())


async def test_a_kept_reply_is_the_answer_of_the_model_named_after_it(tmp_path: Path) -> None:
    name = KeptReplies(tmp_path / "replies").keep("openai/gpt-5", "The letter is A.")
    assert name.startswith("replay/openai/gpt-5:")
    model = HttpModelDirectory({}, replies=KeptReplies(tmp_path / "replies")).open(name)
    await model.check()
    found = await model.complete(REQUEST)
    assert (found.answer, found.finish_reason) == ("The letter is A.", "stop")
    assert found.usage.output_tokens is None
    assert await model.price() is None


async def test_reasoning_between_tags_is_kept_apart(tmp_path: Path) -> None:
    name = KeptReplies(tmp_path).keep("test/one", "<think>B? No.</think>A")
    found = await HttpModelDirectory({}, replies=KeptReplies(tmp_path)).open(name).complete(REQUEST)
    assert (found.answer, found.reasoning) == ("A", "B? No.")


def test_equal_replies_have_one_name_and_others_another(tmp_path: Path) -> None:
    names = [KeptReplies(tmp_path).keep("test/one", text) for text in ("a", "a", "b")]
    assert names[0] == names[1] != names[2]


async def test_a_reply_that_is_not_here_stops_the_evaluation(tmp_path: Path) -> None:
    name = KeptReplies(tmp_path / "elsewhere").keep("test/one", "A")
    model = HttpModelDirectory({}, replies=KeptReplies(tmp_path)).open(name)
    with pytest.raises(EndpointError, match="not on this machine"):
        await model.check()
    with pytest.raises(EndpointError):
        await model.complete(REQUEST)


@pytest.mark.parametrize(
    "name", ["replay/test/one", "replay/test/one:../../../etc/pa", "replay/a:" + "Z" * 16]
)
def test_a_name_that_is_none_of_a_reply_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidValueError, match="names no reply"):
        HttpModelDirectory({}, replies=KeptReplies(tmp_path)).open(name)


def test_without_a_folder_no_model_has_the_prefix() -> None:
    with pytest.raises(UnknownNameError):
        HttpModelDirectory({}).open("replay/test/one:0123456789abcdef")


def test_a_very_long_reply_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidValueError, match="at most 8,388,608 can be graded"):
        KeptReplies(tmp_path).keep("test/one", "x" * (8 * 1024 * 1024 + 1))
