# ruff: noqa: RUF001 - the odd characters are meant
"""Responses of our own; each verdict is that of the official scorer at its revision db69a6f0, run on them."""

import re
import sys
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.benchmarks.ifbench.checks import custom, formats, tables, words
from assay.benchmarks.ifbench.following import RULEBOOK
from assay.domain.errors import DataError, MissingExtraError
from assay.engine.graders.instructions.following import Instruction

Kwargs = dict[str, object]
KWARGS: dict[str, Kwargs] = {
    "count:conjunctions": {"small_n": 2.0},
    "count:keywords_multiple": {f"keyword{n}": word for n, word in enumerate("abcde", start=1)},
    "count:numbers": {"N": 2.0},
    "count:person_names": {"N": 2},
    "count:pronouns": {"N": 3},
    "count:unique_word_count": {"N": 3},
    "count:word_count_range": {"min_words": 2, "max_words": 3},
    "count:words_japanese": {"N": 2},
    "format:list": {"sep": "..."},
    "format:options": {"options": "I know or I don't know"},
    "ratio:overlap": {"reference_text": "abcdef", "percentage": 50},
    "ratio:stop_words": {"percentage": 50},
    "repeat:repeat_change": {"prompt_to_repeat": "Name a river."},
    "repeat:repeat_span": {"prompt_to_repeat": "Name a river.", "n_start": 5, "n_end": 7},
    "sentence:increment": {"small_n": 1},
    "sentence:keyword": {"word": "gull", "N": 2},
    "words:keywords_specific_position": {"keyword": "gull", "n": 1, "m": 2},
    "words:repeats": {"small_n": 1},
    "words:words_position": {"keyword": "gull"},
}
QUIRKS: list[tuple[str, str, bool]] = [
    ("count:conjunctions", "and, and", True),
    ("count:conjunctions", "and and (but)", True),
    ("count:conjunctions", "and and", False),
    ("count:keywords_multiple", "abbcccdddddeeeeeee", True),
    ("count:keywords_multiple", "aabbcccdddddeeeeeee", False),
    ("count:numbers", "1,000 and 3.5", True),
    ("count:numbers", "1, 2, ３", False),
    ("count:person_names", "Emma met Ella", True),
    ("count:person_names", "Emma met Emma and stella", False),
    ("count:pronouns", "she/her/hers", True),
    ("count:pronouns", "It's what we'd say", True),
    ("count:pronouns", "He saw herself_", False),
    ("count:punctuation", ".,!?;:?!", True),
    ("count:punctuation", "‽ . , ! ? ; :", True),
    ("count:punctuation", "‽.,!?;:", False),
    ("count:punctuation", ".,;:?!", False),
    ("count:unique_word_count", "fog ... Fog, sun", True),
    ("count:unique_word_count", "fog Fog, sun", False),
    ("count:word_count_range", "a-b c", True),
    ("count:words_japanese", "one 川 two 12 three ...", True),
    ("count:words_japanese", "one two", False),
    ("custom:date_format_list", "1805-00-99, 1812-02-29", True),
    ("custom:date_format_list", "1805-12-02,", False),
    ("custom:date_format_list", "1822-01-01", False),
    ("custom:multiples", "14,21,28,35,42,49", True),
    ("custom:multiples", "14 21 28 35 42 49 56", False),
    ("custom:word_reverse", "eagle. bald the", True),
    ("custom:character_reverse", "ELGAE DLAB!", True),
    ("format:emoji", "Fog 🙂. Sun! ❤️ Rain 🙂", True),
    ("format:emoji", "Fog. Sun 🙂", False),
    ("format:emoji", "Fog.", False),
    ("format:line_indent", "one line", True),
    ("format:line_indent", "a\n b\n\n  c", True),
    ("format:line_indent", "a\n b\n\n\n  c", False),
    ("format:list", "......", True),
    ("format:list", "... and ..", False),
    ("format:newline", "fog\n\n- sun", True),
    ("format:newline", "fog\n \nsun", False),
    ("format:newline", "fog\n\nsun!", True),
    ("format:no_bullets_bullets", "Fog. Sun.\n\n* a\n * b", True),
    ("format:no_bullets_bullets", "Fog.\n\nSun.\n* a\n* b", False),
    ("format:no_bullets_bullets", "Fog. Sun.\n* a\n* b\n", False),
    ("format:options", "(I DON'T KNOW).", True),
    ("format:options", "I know\n", False),
    ("format:parentheses", "((((( [)", False),
    ("format:parentheses", "[([{(x) never closed", True),
    ("format:quote_unquote", "“a” “b”", True),
    ("format:quote_unquote", 'He said "a" 1.', False),
    ("format:quote_unquote", "the mark '\"'", True),
    ("format:quotes", '"a \'b "c" d\' e"', True),
    ("format:quotes", '"a \'b "c" d', False),
    ("format:sub-bullets", "no bullet at all", True),
    ("format:sub-bullets", "* a - b\n* c", False),
    ("format:thesis", "<em>a</i>b", True),
    ("format:thesis", "<i>a</i> ", False),
    ("format:thesis", "</i><i>a", False),
    ("format:title_case", "A Fox McDonald iPhone 3d", True),
    ("format:title_case", "A fox", False),
    ("format:title_case", "A eU", False),
    ("ratio:overlap", "abcxy", False),
    ("ratio:overlap", "abcdxy", True),
    ("ratio:overlap", "ab", False),
    ("ratio:sentence_balance", "no mark", True),
    ("ratio:sentence_type", "Who? Me. You.", True),
    ("ratio:sentence_words", "Fog. Fog. Fog.", True),
    ("ratio:stop_words", "the fog", True),
    ("ratio:stop_words", "the fog is", False),
    ("ratio:stop_words", "...", False),
    ("repeat:repeat_change", "Say  a\nriver.", True),
    ("repeat:repeat_change", "Name a river.", False),
    ("repeat:repeat_change", "Name a river. ", True),
    ("repeat:repeat_span", "A R", True),
    ("repeat:repeat_span", "a", False),
    ("sentence:alliteration_increment", "Fog fell. Big 'bad bears.", True),
    ("sentence:alliteration_increment", "Fog. Sun.", False),
    ("sentence:increment", "Fog! Fog - fell.", True),
    ("sentence:keyword", "Fog. Gull's fog.", True),
    ("sentence:keyword", "Fog. Gulls.", False),
    ("words:alphabet", "Zebras 'and' bees", True),
    ("words:alphabet", "1 apple", False),
    ("words:consonants", "fly myth", True),
    ("words:consonants", "fly - myth", False),
    ("words:keywords_specific_position", "Fog, Gull!", True),
    ("words:last_first", "Fog rose. 'Rose' fell.", False),
    ("words:last_first", "Fog rose! (Rose fell.)", True),
    ("words:no_consecutive", "fog 'fell", False),
    ("words:odd_even_syllables", "the ocean 12", False),
    ("words:palindrome", "Level " * 10, True),
    ("words:palindrome", "noon " * 10, False),
    ("words:paragraph_last_first", "fog is fog.\n...\n", True),
    ("words:paragraph_last_first", "fog, more fog", False),
    ("words:prime_lengths", "it's", True),
    ("words:prime_lengths", "!!!", True),
    ("words:repeats", "fog. Fog", False),
    ("words:start_verb", "Write it down.", True),
    ("words:start_verb", "Writing is fun.", True),
    ("words:start_verb", "Fog falls.", False),
    ("words:vowel", "a e i\n", True),
    ("words:vowel", "a\ne", False),
    ("words:words_position", "A gull saw a gull !", False),
    ("words:words_position", "A gull saw a gull fly!", True),
    ("words:words_position", "A gull saw gull fly", True),
]


def example(instruction_id: str) -> Instruction:
    return Instruction(instruction_id, KWARGS.get(instruction_id, {}))


def test_every_official_instruction_is_known() -> None:
    assert len(RULEBOOK.ids) == 58
    assert KWARGS.keys() < RULEBOOK.ids


@pytest.mark.parametrize(("instruction_id", "response", "expected"), QUIRKS)
def test_verdicts_of_the_official_scorer(instruction_id: str, response: str, *, expected: bool) -> None:
    assert RULEBOOK.followed(example(instruction_id), response) is expected


@pytest.mark.parametrize(
    ("options", "response", "expected"),
    [
        ("a), b), c), d)", "a)", True),
        ("a), b), c), d)", "A)", False),
        ("a), b), c), d)", "a", False),
        ("yes/no/maybe", " Maybe! ", True),
        ("yes/no/maybe", "yes, no", False),
    ],
)
def test_letters_are_compared_to_the_letter(options: str, response: str, *, expected: bool) -> None:
    assert RULEBOOK.followed(Instruction("format:options", {"options": options}), response) is expected


@pytest.mark.parametrize(
    ("instruction_id", "kwargs"),
    [
        ("count:numbers", {}),
        ("count:numbers", {"N": "two"}),
        ("count:words_japanese", {"N": 0}),
        ("ratio:stop_words", {"percentage": "50"}),
        ("sentence:keyword", {"word": "gull", "N": 0}),
        ("repeat:repeat_span", {"prompt_to_repeat": "x", "n_start": -1, "n_end": 3}),
    ],
)
def test_rows_that_cannot_be_checked_are_data_errors(instruction_id: str, kwargs: Kwargs) -> None:
    with pytest.raises(DataError, match=re.escape(repr(instruction_id))):
        RULEBOOK.followed(Instruction(instruction_id, kwargs), "")


@pytest.mark.parametrize(
    ("instruction_id", "package"), [("format:emoji", "emoji"), ("words:odd_even_syllables", "syllapy")]
)
def test_a_missing_package_names_the_extra_to_install(
    monkeypatch: pytest.MonkeyPatch, instruction_id: str, package: str
) -> None:
    formats.emoji_test.cache_clear()
    words.syllable_counter.cache_clear()
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=re.escape("assay-benchmarks[ifbench]")):
        RULEBOOK.followed(example(instruction_id), "")


def test_stairs_between_an_introduction_and_a_closing_are_loosely_followed() -> None:
    stairs = [example("format:line_indent")]
    assert RULEBOOK.verdicts(stairs, "Here:\n\n one\n two\nDone.") == ((False,), (True,))


@settings(deadline=None)  # the first check reads the tagger's weights
@given(st.text(), st.sampled_from(sorted(RULEBOOK.ids)))
def test_any_text_gets_a_verdict_and_loose_accepts_what_strict_does(text: str, instruction_id: str) -> None:
    instructions = [example(instruction_id)]
    assert RULEBOOK.strict(instructions, text) <= RULEBOOK.loose(instructions, text)


@given(st.lists(st.sampled_from(["", " ", "\t", "a", " b", "  c"]), min_size=1, max_size=12))
def test_blank_lines_go_as_from_a_list_that_is_walked_over(lines: list[str]) -> None:
    left = list(lines)
    for line in left:
        if not line.strip():
            left.remove(line)
    indents = [len(line) - len(line.lstrip(" ")) for line in left]
    expected = all(lower < higher for lower, higher in pairwise(indents)) and any(map(str.strip, lines))
    assert RULEBOOK.followed(example("format:line_indent"), "\n".join(lines)) is expected


@given(st.text(alphabet='"#a \n1,', max_size=12))
def test_special_fields_are_those_of_the_official_pattern(field: str) -> None:
    assert tables.is_special(field) is bool(re.match(r'".*[^\d\w\s].*"', field))


@given(st.text(alphabet="([{}])x", max_size=30))
def test_brackets_that_never_reach_five_are_not_enough(text: str) -> None:
    if RULEBOOK.followed(Instruction("format:parentheses"), text):
        assert sum(map(text.count, "([{")) >= 5


@given(st.text(alphabet=st.characters(min_codepoint=0x20, max_codepoint=0x3000)), st.text("aé½ﬁ"))
def test_plain_letters_are_those_of_the_text_taken_apart(text: str, more: str) -> None:
    for some in (text, more):
        apart = unicodedata.normalize("NFKD", some)
        assert custom.plain_letters(some) == apart.encode("ascii", "ignore").decode("ascii")
