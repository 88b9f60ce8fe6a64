from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.engine.graders.english import token_counts
from assay.engine.graders.english.word_kinds import CAPITALS
from assay.engine.graders.english.words import words
from assay.engine.graders.instructions import word_counts
from assay.engine.graders.instructions.answer import variants, whole
from assay.engine.graders.instructions.word_counts import has_words

PIECES = st.sampled_from(
    [*"aAB.,'*\n\n:5)", " ", "A. ", "A.\n", "a b ", "CANNOT", "'S ", "x.:5B ", "B.'S-A", "\x1c"]
)
TEXTS = st.lists(PIECES, max_size=40).map("".join)


@pytest.fixture(scope="module", autouse=True)
def small_parts() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_counts, "_FIRST_CHARACTERS", 10)
        patch.setattr(word_counts, "_NEAR_CHARACTERS", 8)
        yield


@settings(deadline=None)
@given(TEXTS)
def test_each_variant_has_as_many_as_its_words_tell(text: str) -> None:
    for answer in variants(text):
        found = sum(map(str.isupper, words(answer.text)))
        assert has_words(answer, CAPITALS, found)
        assert not has_words(answer, CAPITALS, found + 1)


def test_a_period_may_decide() -> None:
    assert has_words(whole("Sea fog.:5B falls"), CAPITALS, 1)
    assert not has_words(whole("Fog, Mr.:5B falls"), CAPITALS, 1)
