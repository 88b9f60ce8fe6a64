from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.benchmarks.ifbench import marks
from assay.benchmarks.ifbench.meeting_words import meet, meet_in_bulk
from assay.engine.graders.english.bulk_sentences import BulkSentences
from assay.engine.graders.english.passage import Passage
from assay.engine.graders.english.sentence_ends import sentence_ends

PIECES = [
    "Tide ",
    "tide",
    "tide. ",
    "TIDE. ",
    "Tide ebbs. ",
    "ebb. ",
    '"Ebb" ',
    "é! ",
    "É ",
    "Σ. ",
    "İ? ",
    "\n",
    "?! ",
    "(",
    ") ",
]
texts = st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map("".join)
chains = st.lists(st.sampled_from(["tide", "ebb", "é", "a-b"]), min_size=2, max_size=6).map(
    lambda words: "".join(f"{one.capitalize()} is not {other}. " for one, other in pairwise(words))
)


@settings(max_examples=300, deadline=None)
@given(texts | chains)
def test_many_at_once_are_told_as_two_are(text: str) -> None:
    passage = Passage(text)
    sentences = BulkSentences.of(passage, sentence_ends(passage))
    told = meet_in_bulk(sentences)
    assert told in (None, all(meet(one, following) for one, following in pairwise(sentences)))


def test_a_chain_is_told_at_once() -> None:
    passage = Passage("The tide ebbs. Ebbs follow floods! Floods? No.")
    sentences = BulkSentences.of(passage, sentence_ends(passage))
    assert meet_in_bulk(sentences.part(0, 2)) is True
    assert meet_in_bulk(sentences) is False


@given(st.text("a .,!*é🙂\n~\xa0", max_size=9), st.sampled_from([1, 2, 1_000]))
def test_long_texts_are_stripped_as_short_ones(text: str, long: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(marks, "_LONG", long)
        assert marks.stripped_before(text) == text.lstrip(marks.MARKS_AND_SPACE)
        assert marks.stripped_behind(text) == text.rstrip(marks.MARKS_AND_SPACE)
