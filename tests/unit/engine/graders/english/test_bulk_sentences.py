"""All sentences of a long text found at once are those that are found one by one."""

# ruff: noqa: RUF001 - the curly quotes are meant
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.engine.graders.english import shared_sentences
from assay.engine.graders.english.bulk_sentences import BulkSentences
from assay.engine.graders.english.passage import Passage
from assay.engine.graders.english.sentence_ends import repeats_left_out, sentence_ends
from assay.engine.graders.english.sentences import parameters, sentences
from assay.engine.graders.english.shared_sentences import early_sentences
from assay.engine.graders.instructions import answer as answer_module
from assay.engine.graders.instructions.answer import variants

WORDS = (
    *(
        "a",
        "B",
        "i",
        "J",
        "é",
        "É",
        "日本",
        "🙂",
        "12",
        "3.5",
        "1,000",
        "-4",
        ".5",
        "tide",
        "Tide",
        "ROPE",
        "don't",
    ),
    *("well-known", "e-mail", "x-mr", "U.S", "Mr", "gen", "zzq", "Ünï", "_", "$5", "a/b"),
    *("\u0663", "\u212a", "m\u212a", "İ"),
)
MARKS = (
    *(
        "",
        "",
        " ",
        " ",
        " ",
        ".",
        ". ",
        ". ",
        "? ",
        "! ",
        "?",
        "!",
        "..",
        "...",
        ". . .",
        "\n",
        "\t",
        ".)",
        '."',
    ),
    *(
        ".' ",
        ".”",
        '?"',
        "!)",
        ".--",
        '. "',
        '"',
        "'",
        "(",
        ")",
        "[",
        "]",
        "’",
        "“",
        "«",
        "-",
        "--",
        ",",
        ";",
    ),
    *(":", "@", "*", "`", "&", "#", "\u00a0", "\u2003", "\x1c", "\x85"),
)
known = st.sampled_from(sorted(parameters().abbreviations | parameters().openers))
pieces = st.tuples(st.sampled_from(WORDS) | known | known.map(str.capitalize), st.sampled_from(MARKS))
texts = st.lists(pieces.map("".join) | st.sampled_from(MARKS), max_size=30).map("".join)


def bulk(text: str) -> BulkSentences:
    passage = Passage(text)
    return BulkSentences.of(passage, sentence_ends(passage))


@settings(max_examples=300, deadline=None)
@given(texts.filter(bool))
def test_they_are_the_same(text: str) -> None:
    assert list(bulk(text)) == sentences(text)


@given(texts.filter(bool))
def test_their_last_characters_are_counted(text: str) -> None:
    assert bulk(text).last_characters() == Counter(sentence[-1] for sentence in sentences(text) if sentence)


@pytest.mark.parametrize(
    "piece",
    ["Fog. ", "a. ", "Mr. X. ", "? ", "No! (Yes.) ", "3.5. 4 ", "…", "... ", '"Row." ', "日本. ", "."],
)
def test_in_a_text_of_many_blocks_too(piece: str) -> None:
    text = f"So. {piece * 20_000}End."
    assert list(bulk(text)) == sentences(text)


def test_words_spelt_nearly_alike_are_told_apart() -> None:
    text = (
        "".join(
            f"Mr. {word} B{word}. " for word in ("internationally", "internationalize", "However", "however")
        )
        * 3
    )
    assert list(bulk(text)) == sentences(text)


@settings(max_examples=100, deadline=None)
@given(st.lists(texts, min_size=1, max_size=3).map("\n".join))
def test_variants_share_the_sentences_of_their_longest_line(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shared_sentences, "FEW_CHARACTERS", 1)
        patch.setattr(answer_module, "FEW_CHARACTERS", 1)
        for answer in variants(text):
            expected, found = sentences(answer.text), answer.sentences()
            assert list(found) == expected
            assert len(found) == len(expected)
            assert found.last_characters() == Counter(one[-1] for one in expected if one)
            assert found.nth(2) == ([*expected, None, None])[1]
            rising = all(len(one) < len(other) for one, other in pairwise(expected))
            assert answer.sentences_agree(len, int.__lt__) is rising


UNITS = st.lists(
    st.sampled_from(["a", "B", ".", ". ", "? ", "Mr. ", '"', ")", " ", "\n", "\xa0", "\x1c"]),
    min_size=1,
    max_size=5,
).map("".join)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(texts, UNITS, st.integers(60, 600)), min_size=1, max_size=3))
@example([("Fog lifts.", " ", 600), ("Ropes sway.", "a. ", 300)])
def test_repeated_passages_are_read_once_and_end_as_they_do(parts: list[tuple[str, str, int]]) -> None:
    text = "".join(before + unit * times for before, unit, times in parts)
    passage = Passage(text)
    assert list(BulkSentences.of(passage, sentence_ends(passage))) == sentences(text)


@pytest.mark.parametrize(("others", "is_left_out"), [(0, True), (100, True), (2_000, False)])
def test_only_repeats_that_make_up_much_of_a_text_are_left_out(others: int, *, is_left_out: bool) -> None:
    around = "".join(f"Rope {number} sways. " for number in range(others))
    found = repeats_left_out(Passage(f"{around}{'Fog lifts. ' * 400}{around}"))
    assert (found is not None) is is_left_out


@settings(max_examples=100, deadline=None)
@given(st.lists(texts, min_size=1, max_size=6).map("\n".join), st.integers(0, 5))
def test_ends_that_fit_are_not_ruled_out_before_all_are_found(text: str, judged_first: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shared_sentences, "_JUDGED_FIRST", judged_first)
        patch.setattr(answer_module, "FEW_CHARACTERS", 1)
        for answer in variants(text):
            ends = Counter(one[-1] for one in sentences(answer.text) if one)
            for mark, times, other in ((".", 2, "?"), (".", 1, "?"), ("?", 1, "!")):
                if ends[mark] == times * ends[other]:
                    assert answer.may_end_in_as_many(mark, times, other)


@pytest.mark.parametrize("statements", [0, 1, 2, 6])
def test_most_ends_that_do_not_fit_are_ruled_out(statements: int) -> None:
    text = "".join(f"Is rope {number} wet? {f'Rope {number} is. ' * statements}" for number in range(999))
    for answer in variants(f"Sure.*\n{text}\nBye."):
        assert answer.may_end_in_as_many(".", 2, "?") is (statements == 2)


@settings(max_examples=50, deadline=None)
@given(texts)
def test_early_sentences_do_not_depend_on_the_rest(text: str) -> None:
    long = f"Fog lifts. {text}" * 300
    found = list(early_sentences(long, {}))
    assert found == sentences(long)[: len(found)]
