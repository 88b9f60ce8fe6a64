"""English words as NLTK's tokenizer cuts them, and plain runs of word characters."""

import re
import string
from dataclasses import dataclass
from functools import cache
from itertools import islice, takewhile

from assay.engine.graders.english.characters import GAP, SPACE, blocks, is_word_character
from assay.engine.graders.english.code_points import are_word_characters, codes_of, run_count
from assay.engine.graders.english.shared_sentences import sentences_of
from assay.engine.graders.english.token_characters import LIKE_ASCII
from assay.engine.graders.english.token_cuts import Tokenizer

_HEAD_CHARACTERS = 2_000
_LAST_WORDS = 50
_WHITE_SPACE = "".join(character for character in map(chr, range(0x3001)) if character.isspace())
_AFTER_PERIOD = f".])}}>\"'»”’{_WHITE_SPACE}"
_RUNS_READ = 5
# They are words by themselves wherever they stand.
_SINGLE_MARKS = frozenset("*[](){}<>;@#$%&?!«»“”‘’„")
_CLITICS = frozenset({"re", "ve", "ll", "m", "t", "s", "d", "n"})


@dataclass(frozen=True, slots=True)
class _Rule:
    """A replacement that can only apply to a sentence holding one of the `triggers`."""

    triggers: frozenset[str]
    pattern: re.Pattern[str]
    replacement: str


def _rule(triggers: str, pattern: str, replacement: str = r" \g<0> ") -> _Rule:
    return _Rule(frozenset(triggers), re.compile(pattern), replacement)


# ruff: noqa: RUF001 - the curly quotes and dashes are meant
_OPENING_QUOTES = (
    _rule("«“‘„`", r"[«“‘„]|`+"),
    _rule('"', r'^"', "``"),
    _rule('`"', "``"),
    _rule("\"'", r"([ (\[{<])(?:\"|'')", r"\1 `` "),
)
_PUNCTUATION = (
    _rule(".", rf"([^.])(\.)([\])}}>\"'»”’ ]*+){SPACE}*$", r"\1 \2 \3 "),
    _rule(":,", r"([:,])(\D)", r" \1 \2"),
    _rule(":,", r"[:,]$"),
    _rule(".;@#$%&‒–—―", r"\.{2,}|[;@#$%&‒-―]"),
    _rule(".", rf"([^.])(\.)([\])}}>\"']*){SPACE}*$", r"\1 \2\3 "),
    _rule("?!", r"[?!]"),
    _rule("'", r"([^'])' ", r"\1 ' "),
    _rule("*[](){}<>-", r"[*\]\[(){}<>]|--"),
)
_CLOSING_QUOTES = (
    _rule("»”’", r"[»”’]"),
    _rule("'\"", r"''|\"", " '' "),
    _rule("'", rf"{SPACE}+", " "),
    _rule("'", r"([^' ])('[sSmMdD]?) ", r"\1 \2 "),
    _rule("'", r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", r"\1 \2 "),
)
_CONTRACTIONS = {
    word: re.compile(pattern, re.IGNORECASE)
    for word, pattern in {
        "cannot": r"\b(can)(not)\b",
        "d'ye": r"\b(d)('ye)\b",
        "gimme": r"\b(gim)(me)\b",
        "gonna": r"\b(gon)(na)\b",
        "gotta": r"\b(got)(ta)\b",
        "lemme": r"\b(lem)(me)\b",
        "more'n": r"\b(more)('n)\b",
        "wanna": r"\b(wan)(na)(?=\s)",
        "'tis": r" ('t)(is)\b",
        "'twas": r" ('t)(was)\b",
    }.items()
}
_APOSTROPHE = re.compile(r"'(?=[^\s'])")


def words(text: str) -> list[str]:
    """The tokens of all sentences, punctuation marks and split-off clitics included."""
    known: dict[str, list[str]] = {}
    found: list[str] = []
    for sentence in sentences_of(text):
        if sentence not in known:
            known[sentence] = _sentence_words(sentence)
        found += known[sentence]
    return found


def leading_words(text: str, count: int) -> list[str]:
    """The first of `words(text)`, of which no more is read than bears on them."""
    first = _runs(count).match(text)
    if first is None:
        return []
    read = _runs(_RUNS_READ).match(text, first.end())
    # The rule for a last period looks as far as there is nothing but what may close a sentence.
    stop = read.end() if read and read.group().strip(_AFTER_PERIOD) else len(text)
    leading: list[str] = []
    for sentence in sentences_of(text[:stop]):
        leading += _leading_words(sentence, count)
        if len(leading) >= count:
            break
    return leading[:count]


def _leading_words(sentence: str, count: int) -> list[str]:
    """At least so many words of the sentence, or all of them."""
    head = sentence[:_HEAD_CHARACTERS]
    if len(head) == len(sentence):
        return _sentence_words(sentence)
    # The rules look a few characters ahead; for a period, to the end over whatever may close a sentence.
    closing = len(head) - len(head.rstrip(_AFTER_PERIOD)) if "." in head else 0
    if closing < _LAST_WORDS // 2:
        found = _sentence_words(head)
        if len(found) >= count + _LAST_WORDS:
            return found[:count]
    longer = islice(Tokenizer(sentence).words_of_one_sentence(), count)
    found = [word for word in longer if word in _SINGLE_MARKS or any(map(str.isalnum, word))]
    return found if len(found) == count else _sentence_words(sentence)


def closing_words(text: str, count: int) -> list[str]:
    """The last of `words(text)`, of which no more is read than bears on them."""
    before, *runs = text.rsplit(None, count + _RUNS_READ) or [""]
    stop = len(before) + 1 if len(runs) == count + _RUNS_READ else 0
    start = max(text.rfind(space, 0, stop) for space in string.whitespace)
    return words(text[max(start, 0) :])[-count:]


@cache
def _runs(count: int) -> re.Pattern[str]:
    """So many runs that ASCII white space ends, or as many as there are; in each there is a word."""
    return re.compile(rf"(?:\s*+\S[^{string.whitespace}]*+){{1,{count}}}")


def count_words(text: str, most: int) -> int:
    """How many unbroken runs there are of letters, marks, digits and connectors.

    Beyond `most` they are not counted to the end.
    """
    count = 0
    for block in blocks(text, GAP):
        count += run_count(are_word_characters(codes_of(block)))
        if count >= most:
            break
    return count


def _sentence_words(sentence: str) -> list[str]:
    characters = set(sentence)
    spaced = _applied(_OPENING_QUOTES, sentence, characters)
    if "'" in characters:
        spaced = _APOSTROPHE.sub(_opening_apostrophe, spaced)
    spaced = f" {_applied(_PUNCTUATION, spaced, characters)} "
    return _with_parted_contractions(_applied(_CLOSING_QUOTES, spaced, characters)).split()


def _applied(rules: tuple[_Rule, ...], text: str, characters: set[str]) -> str:
    for rule in rules:
        if not rule.triggers.isdisjoint(characters):
            text = rule.pattern.sub(rule.replacement, text)
    return text


def _with_parted_contractions(text: str) -> str:
    has_like_ascii = any(letter in text for letter in LIKE_ASCII)
    lower = text.lower()
    for word, pattern in _CONTRACTIONS.items():
        if has_like_ascii or word in lower:
            text = pattern.sub(r" \1 \2 ", text)
    return text


def _opening_apostrophe(apostrophe: re.Match[str]) -> str:
    """Part an apostrophe from the word it opens, unless it belongs to a clitic such as `'ll`."""
    text, start, end = apostrophe.string, apostrophe.start(), apostrophe.end()
    if start > 0 and is_word_character(text[start - 1]):
        return "'"
    opened = "".join(takewhile(is_word_character, text[end : end + 3]))
    return "' " if opened and opened.casefold() not in _CLITICS else "'"
