"""The language found is langdetect's own, seeded alike."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langdetect import DetectorFactory, LangDetectException  # pyright: ignore[reportMissingTypeStubs] # has none
from langdetect.detector_factory import PROFILES_DIRECTORY  # pyright: ignore[reportMissingTypeStubs] # has none

from assay.benchmarks.ifeval.detection import detector

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# (langdetect has no annotations)
WORDS = st.sampled_from(
    ["the", "und", "das", "le", "la", "не", "это", "日本", "か", "है", "ไม่", "한국어", "không"]
) | st.sampled_from(["Ünï", "ș", "ABC", "DEf", "http://a.b/c?d=1", "x@y.zz", "@", "123", "*", "\n"])


@pytest.fixture(scope="module")
def langdetect() -> Callable[[str], str | None]:
    factory = DetectorFactory()
    factory.set_seed(0)
    profiles = sorted(Path(PROFILES_DIRECTORY).iterdir())
    factory.load_json_profile([profile.read_text(encoding="utf-8") for profile in profiles])

    def detected(text: str) -> str | None:
        sample = factory.create()
        sample.append(text)
        try:
            return sample.detect()
        except LangDetectException:
            return None

    return detected


@settings(deadline=None, max_examples=60)
@given(words=st.lists(WORDS, max_size=40), blank=st.sampled_from(["", " "]))
def test_any_mixture(langdetect: Callable[[str], str | None], words: list[str], blank: str) -> None:
    text = blank.join(words)
    assert detector()(text) == langdetect(text)


@pytest.mark.parametrize(
    "piece",
    ["a b ", "Das ist gut. ", "http://a.b/" + "c" * 1500 + " x ", "ab@cd.ef gh ", "é", "x" * 300 + "@y.z ,"],
)
def test_long_texts_of_which_only_the_beginning_is_read(
    langdetect: Callable[[str], str | None], piece: str
) -> None:
    text = piece * (60_000 // len(piece))
    assert detector()(text) == langdetect(text)
