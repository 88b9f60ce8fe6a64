# ruff: noqa: RUF001 - the curly quotes are meant
"""Long texts are cut by other code than short ones: both find the same words."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.engine.graders.english import token_counts
from assay.engine.graders.english.pronouns import PRONOUNS
from assay.engine.graders.english.token_counts import bounds, count, rough_bounds
from assay.engine.graders.english.word_kinds import CAPITALS, PRONOUN, SMALL_LETTERS, Kind
from assay.engine.graders.english.words import words

ALL = 1_000_000
_CHARACTERS = "aAbIiS15.?!'\",:;()*-_\n/ “”’«—éſıǅ½ⓐ٣\x1c\u00a0\u200d"
_WORDS = "he U.S. e.g. cannot GimME gonNA wanna more'n d'ye 'tis n't N'T 's 'LL 're '' `` -- .. yourself"
PIECES = st.sampled_from([*_CHARACTERS, *_WORDS.split(), " ", ". ", "It ", "i. ", "Mr. "])
TEXTS = st.lists(PIECES, max_size=40).map("".join)


def is_in_small_letters(word: str) -> bool:
    rest = word[1:]
    return word[0].isalpha() and word[0].islower() and (not rest or rest.isupper() or rest.islower())


KINDS: list[tuple[Kind, Callable[[str], bool]]] = [
    (CAPITALS, str.isupper),
    (PRONOUN, PRONOUNS.__contains__),
    (SMALL_LETTERS, is_in_small_letters),
]


@pytest.fixture(scope="module", autouse=True)
def small_blocks() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_counts, "_FIRST_CHARACTERS", 10)
        patch.setattr(token_counts, "_NEAR_CHARACTERS", 10)
        yield


def found_one_by_one(text: str, kind: Kind, is_one: Callable[[str], bool]) -> int:
    return sum(map(is_one, words(kind.prepared(text))))


@settings(deadline=None)
@given(TEXTS)
def test_as_many_are_counted_as_the_words_tell(text: str) -> None:
    for kind, is_one in KINDS:
        assert count(text, "", kind, ALL) == found_one_by_one(text, kind, is_one)


@settings(deadline=None)
@given(TEXTS, TEXTS, TEXTS)
def test_the_bounds_of_lines_hold_whatever_lines_are_around_them(before: str, text: str, after: str) -> None:
    for kind, is_one in KINDS:
        found = found_one_by_one(f"{before}\n{text}\n{after}", kind, is_one)
        for bounds_of in (partial(bounds, enough=ALL), rough_bounds):
            lines = [bounds_of(line, kind) for line in (before, text, after)]
            assert sum(line.least for line in lines) <= found <= sum(line.most for line in lines)


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("He said it. THEY", PRONOUN, 3),
        ("he's she'll gimme hen't he-x he.x he/x 'he'", PRONOUN, 6),
        ("themselves themselve xthemselves whichever, yourself. yourselfs", PRONOUN, 3),
        ("CANNOT A.B. X-RAY 5B 'S Ab WAIT—STOP", CAPITALS, 8),
        ("A B. Cd aBC ab aB", SMALL_LETTERS, 3),
        ("Éa éa Ça", SMALL_LETTERS, 1),
    ],
)
def test_counts(text: str, kind: Kind, expected: int) -> None:
    assert count(text, "", kind, ALL) == expected


def test_the_halves_of_a_contraction_may_be_in_capitals_where_all_of_it_is_not() -> None:
    assert count("ⓐCANNOT", "", CAPITALS, ALL) == 2
    assert rough_bounds("ⓐCANNOT", CAPITALS).most >= 2


def test_a_long_text_is_read_until_there_are_enough() -> None:
    text = "he " * 10_000
    assert count(text, "", PRONOUN, 39) < 100
    assert bounds(text, PRONOUN, 39).least < 100


@settings(deadline=None)
@given(TEXTS, st.text("aé1", min_size=1, max_size=3))
def test_what_follows_decides_about_the_last_words_and_is_not_counted(text: str, run: str) -> None:
    for kind, is_one in KINDS:
        whole = found_one_by_one(f"{text} {run}", kind, is_one)
        assert count(f"{text} ", run, kind, ALL) == whole - found_one_by_one(run, kind, is_one)
