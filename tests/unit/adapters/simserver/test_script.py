import pytest

from assay.adapters.simserver.script import MODELS, Script, header_options, scripted
from assay.adapters.simserver.wire import pieces
from assay.domain.errors import InvalidValueError, UnknownNameError


def test_name_options_beat_the_preset_and_the_preset_the_default() -> None:
    default = Script(stall_ms=1.0, chunks=5)
    assert scripted(default, "test/letter") is default
    script = scripted(default, "test/stall?stall_ms=20&done=no&text=a%20b")
    assert (script.stall_after, script.stall_ms, script.chunks) == (2, 20.0, 5)
    assert (script.done, script.text) == (False, "a b")


@pytest.mark.parametrize("name", MODELS)
def test_presets_are_valid(name: str) -> None:
    assert isinstance(scripted(Script(), name), Script)


def test_headers_are_options() -> None:
    headers = [("X-Sim-Cut-After", "2"), ("x-sim-usage", "none"), ("Content-Type", "text/plain")]
    assert Script().with_options(header_options(headers)) == Script(cut_after=2, usage="none")


def test_unknown_and_bad_options() -> None:
    with pytest.raises(UnknownNameError, match="speed"):
        scripted(Script(), "test/letter?speed=1")
    with pytest.raises(InvalidValueError, match="chunks"):
        scripted(Script(), "test/letter?chunks=many")
    with pytest.raises(InvalidValueError, match="usage"):
        scripted(Script(), "test/letter?usage=sometimes")


@pytest.mark.parametrize(("text", "count"), [("abcdefg", 3), ("ab", 5), ("", 2), ("é😀", 1)])
def test_pieces_join_to_the_text(text: str, count: int) -> None:
    parts = pieces(text, count)
    assert "".join(parts) == text
    assert len(parts) == max(1, min(count, len(text)))
