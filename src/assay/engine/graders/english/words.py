"""English words as NLTK's tokenizer cuts them, and plain runs of word characters."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, takewhile

from assay.engine.graders.english.characters import SPACE, is_word_character
from assay.engine.graders.english.sentences import remembered, sentences

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


def words(text: str) -> Iterator[str]:
    """The tokens of all sentences, punctuation marks and split-off clitics included."""
    return chain.from_iterable(map(_sentence_words, sentences(text)))


def word_runs(text: str) -> list[str]:
    """The unbroken runs of letters, marks, digits and connectors."""
    gaps = {ord(character): " " for character in set(text) if not is_word_character(character)}
    return text.translate(gaps).split()


@remembered
def _sentence_words(sentence: str) -> tuple[str, ...]:
    characters = set(sentence)
    spaced = _applied(_OPENING_QUOTES, sentence, characters)
    if "'" in characters:
        spaced = _APOSTROPHE.sub(_opening_apostrophe, spaced)
    spaced = f" {_applied(_PUNCTUATION, spaced, characters)} "
    return tuple(_applied(_CLOSING_QUOTES + _CONTRACTIONS, spaced, characters).split())


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
