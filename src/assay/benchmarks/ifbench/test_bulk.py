"""What is found for all words, brackets or quotes at once is what is found for them one by one."""

import unicodedata

import pytest
import syllapy  # pyright: ignore[reportMissingTypeStubs] # has no annotations
from hypothesis import given
from hypothesis import strategies as st

from assay.benchmarks.ifbench import marks, syllables
from assay.benchmarks.ifbench.checks import nesting
from assay.benchmarks.ifbench.following import RULEBOOK
from assay.benchmarks.ifbench.plain_letters import plain_letters
from assay.benchmarks.ifbench.trigrams import Trigrams, union
from assay.engine.graders.english import characters
from assay.engine.graders.instructions.following import Instruction

SWAPPED = str.maketrans("ab", "ba")


@pytest.fixture(autouse=True)
def short_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that short texts are read as long ones are."""
    monkeypatch.setattr(characters, "_BLOCK_CHARACTERS", 5)
    monkeypatch.setattr(nesting, "_FEW", 0)
    monkeypatch.setattr(nesting, "_BLOCK", 3)


def colliding_words() -> tuple[str, str]:
    """Two that differ and share the key that words are told by."""
    word = "a"
    for _ in range(10):
        word += word.translate(SWAPPED)
    return word, word.translate(SWAPPED)


@given(st.text(alphabet="aelbty1٣é Tthe\n'", max_size=30))
def test_syllables_are_those_that_syllapy_counts(text: str) -> None:
    odd = [is_odd for words in marks.bare_lower_words_by_block(text) for is_odd in syllables.are_odd(words)]
    assert odd == [syllapy.count(word) % 2 == 1 for word in marks.bare_lower_words(text)]


@given(st.lists(st.text(alphabet="([{}])", max_size=20), max_size=3))
def test_fewer_brackets_are_as_deep_whatever_stands_around_them(parts: list[str]) -> None:
    expected = nesting.five_nested("".join(parts))
    assert RULEBOOK.followed(Instruction("format:parentheses"), "\n".join(parts)) is expected


@given(st.text(alphabet="'\"\n", max_size=30))
def test_quotes_close_the_level_that_one_like_them_opened(text: str) -> None:
    opened: list[str] = []
    deepest, expected = 0, False
    for quote in text.replace("\n", ""):
        if opened[-1:] == [quote]:
            opened.pop()
            expected |= deepest - len(opened) >= 3
        else:
            opened.append(quote)
            deepest = max(deepest, len(opened))
    assert RULEBOOK.followed(Instruction("format:quotes"), text) is expected


@given(st.text(alphabet=st.characters(min_codepoint=0x20, max_codepoint=0x3000)), st.text("aé½ﬁ"))
def test_plain_letters_are_those_of_the_text_taken_apart(text: str, more: str) -> None:
    for some in (text, more):
        apart = unicodedata.normalize("NFKD", some)
        assert plain_letters(some) == apart.encode("ascii", "ignore").decode("ascii")


@given(st.lists(st.text(alphabet="abé🙂", max_size=12), min_size=1, max_size=3))
def test_each_trigram_counts_once_whatever_else_the_text_has(texts: list[str]) -> None:
    trigrams = {text[start : start + 3] for text in texts for start in range(len(text) - 2)}
    assert len(union(map(Trigrams, texts))) == len(trigrams)
    assert [len(Trigrams(text)) for text in texts] == [
        len({text[start : start + 3] for start in range(len(text) - 2)}) for text in texts
    ]


def test_different_words_that_share_a_key_are_no_repeats() -> None:
    one, other = colliding_words()
    never = Instruction("words:repeats", {"small_n": 1})
    assert RULEBOOK.followed(never, f"{one} {other}")
    assert not RULEBOOK.followed(never, f"{one} {other} {one}")
    assert RULEBOOK.followed(Instruction("count:unique_word_count", {"N": 2}), f"{one} {other}")
