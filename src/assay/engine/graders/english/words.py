"""English words as NLTK's tokenizer cuts them, and plain runs of word characters."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from assay.engine.graders.english.characters import SPACE, blocks, is_word_character, with_gaps
from assay.engine.graders.english.seams import chunks, opening
from assay.engine.graders.english.sentences import sentence_stream

_HEAD_CHARACTERS = 2_000
_LAST_WORDS = 50
_WHITE_SPACE = "".join(character for character in map(chr, range(0x3001)) if character.isspace())
_AFTER_PERIOD = f".])}}>\"'»”’{_WHITE_SPACE}"
_TAIL_CHARACTERS = 1_000
_CLITICS = frozenset({"re", "ve", "ll", "m", "t", "s", "d", "n"})


@dataclass(frozen=True, slots=True)
class _Rule:
    """A replacement that can only apply to a sentence holding one of the `triggers`."""

    triggers: frozenset[str]
    pattern: re.Pattern[str]
    replacement: str


def _rule(triggers: str, pattern: str, replacement: str = r" \g<0> ") -> _Rule:
    return _Rule(frozenset(triggers), re.compile(pattern), replacement)


def _contraction(triggers: str, pattern: str) -> _Rule:
    return _Rule(frozenset(triggers), re.compile(pattern, re.IGNORECASE), r" \1 \2 ")


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
_CONTRACTIONS = (
    _contraction("nN", r"\b(can)(not)\b"),
    _contraction("'", r"\b(d)('ye)\b"),
    _contraction("mM", r"\b(gim)(me)\b"),
    _contraction("nN", r"\b(gon)(na)\b"),
    _contraction("tT", r"\b(got)(ta)\b"),
    _contraction("mM", r"\b(lem)(me)\b"),
    _contraction("'", r"\b(more)('n)\b"),
    _contraction("nN", r"\b(wan)(na)(?=\s)"),
    _contraction("'", r" ('t)(is)\b"),
    _contraction("'", r" ('t)(was)\b"),
)
_APOSTROPHE = re.compile(r"'(?=[^\s'])")


def words(text: str) -> list[str]:
    """The tokens of all sentences, punctuation marks and split-off clitics included."""
    return list(word_stream(text))


def word_stream(text: str) -> Iterator[str]:
    """The words one by one; what comes after those that are taken is not read."""
    known: dict[str, list[str]] = {}
    for chunk in chunks(text):
        for sentence in sentence_stream(chunk, {}):
            if sentence not in known:
                known[sentence] = _sentence_words(sentence)
            yield from known[sentence]


def leading_words(text: str, count: int) -> list[str]:
    """The first of `words(text)`; of a long sentence only the beginning is cut."""
    leading: list[str] = []
    for chunk in chunks(text):
        for sentence in sentence_stream(chunk, {}):
            leading += _leading_words(sentence, count)
            if len(leading) >= count:
                return leading[:count]
    return leading


def _leading_words(sentence: str, count: int) -> list[str]:
    """At least so many words of the sentence, or all of them."""
    head = sentence[:_HEAD_CHARACTERS]
    # The rules look a few characters ahead; for a period, to the end over whatever may close a sentence.
    closing = len(head) - len(head.rstrip(_AFTER_PERIOD)) if "." in head else 0
    if len(head) < len(sentence) and closing < _LAST_WORDS // 2:
        found = _sentence_words(head)
        if len(found) >= count + _LAST_WORDS:
            return found[:count]
    return _sentence_words(sentence)


def closing_words(text: str, count: int) -> list[str]:
    """The last of `words(text)`."""
    start = opening(text, len(text) - _TAIL_CHARACTERS) if len(text) > _TAIL_CHARACTERS else -1
    found = words(text[start:]) if start >= 0 else []
    return (found if len(found) >= count else words(text))[-count:]


def word_runs(text: str) -> list[str]:
    """The unbroken runs of letters, marks, digits and connectors."""
    return with_gaps(text).split()


def count_words(text: str, most: int) -> int:
    """How many unbroken runs there are; beyond `most` they are not counted to the end."""
    count = 0
    for block in blocks(text):
        count += len(word_runs(block))
        if count >= most:
            break
    return count


def _sentence_words(sentence: str) -> list[str]:
    characters = set(sentence)
    spaced = _applied(_OPENING_QUOTES, sentence, characters)
    if "'" in characters:
        spaced = _APOSTROPHE.sub(_opening_apostrophe, spaced)
    spaced = f" {_applied(_PUNCTUATION, spaced, characters)} "
    return _applied(_CLOSING_QUOTES + _CONTRACTIONS, spaced, characters).split()


def _applied(rules: tuple[_Rule, ...], text: str, characters: set[str]) -> str:
    for rule in rules:
        if not rule.triggers.isdisjoint(characters):
            text = rule.pattern.sub(rule.replacement, text)
    return text


def _opening_apostrophe(apostrophe: re.Match[str]) -> str:
    """Part an apostrophe from the word it opens, unless it belongs to a clitic such as `'ll`."""
    text, start, end = apostrophe.string, apostrophe.start(), apostrophe.end()
    if start > 0 and is_word_character(text[start - 1]):
        return "'"
    opened = "".join(takewhile(is_word_character, text[end : end + 3]))
    return "' " if opened and opened.casefold() not in _CLITICS else "'"
