"""English words as NLTK's tokenizer cuts them, and plain runs of word characters."""

import re
import string
from dataclasses import dataclass
from functools import cache
from itertools import islice, takewhile

from assay.engine.graders.english.characters import GAP, SPACE, blocks, is_word_character
from assay.engine.graders.english.code_points import are_word_characters, codes_of, run_count
from assay.engine.graders.english.sentences import sentence_spans
from assay.engine.graders.english.shared_sentences import sentences_of
from assay.engine.graders.english.token_characters import LIKE_ASCII
from assay.engine.graders.english.token_cuts import Tokenizer

_FEW_CHARACTERS, _HEAD_CHARACTERS = 400, 2_000
_LAST_WORDS = 50
_WHITE_SPACE = "".join(character for character in map(chr, range(0x3001)) if character.isspace())
_AFTER_PERIOD = f".])}}>\"'»”’{_WHITE_SPACE}"
_RUNS_READ = 5
_POSSIBLE_END_OF_RUN = re.compile(rf"[^{string.whitespace}]{{0,999}}?[.?!][?!)\]}}*:;@'(\"]")
_MEETING_MARKS = re.compile(rf"[^{string.whitespace}]{{0,999}}?[;)\]}}*:@(\"{{\[](?=[;)\]}}*:@(\"{{\[])")
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
    early = _early_words(text, count) if len(text) > _HEAD_CHARACTERS else []
    if early:
        return early
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


def _early_words(text: str, count: int) -> list[str]:
    """The first words if nothing beyond the head of the text bears on them; else none."""
    run = max(text.rfind(space, 0, _HEAD_CHARACTERS) for space in string.whitespace) + 1
    has_marks = any(mark in text[:run] for mark in ".?!")
    if not has_marks and "'" not in text[:run] and text[run] not in ".?!":
        before = _sentence_words(text[:run])
        if len(before) >= count:
            return before[:count]
    # Inside of an unbroken run a sentence may end behind its first character and at the last possible place.
    # All tokens before two marks that meet are whole: where they end a sentence before the run, it ends.
    end = (_MEETING_MARKS if has_marks else _POSSIBLE_END_OF_RUN).match(text, _HEAD_CHARACTERS)
    leading: list[str] = []
    for start, stop in sentence_spans(text[: end.end()]) if end else ():
        if stop > _HEAD_CHARACTERS:
            is_open = has_marks and (start > run or any(mark in text[start:run] for mark in ".?!"))
            found = [] if is_open else _words_of_head(text[start:_HEAD_CHARACTERS], count)
            return (leading + found)[:count] if found else []
        leading += _sentence_words(text[start:stop])
    return []


def _leading_words(sentence: str, count: int) -> list[str]:
    """At least so many words of the sentence, or all of them."""
    if len(sentence) <= _HEAD_CHARACTERS:
        return _sentence_words(sentence)
    found = _words_of_head(sentence[:_HEAD_CHARACTERS], count)
    if found:
        return found
    longer = list(islice(Tokenizer(sentence).words_of_one_sentence(), count))
    is_certain = all(word in _SINGLE_MARKS or any(map(str.isalnum, word)) for word in longer)
    return longer if is_certain else _sentence_words(sentence)


def _words_of_head(head: str, count: int) -> list[str]:
    """The first words of a longer sentence that starts so, or none where they depend on more of it."""
    for part in (head[:_FEW_CHARACTERS], head):
        # The rules look a few characters ahead; for a period, to the end over whatever may close a sentence.
        closing = len(part) - len(part.rstrip(_AFTER_PERIOD)) if "." in part else 0
        found = _sentence_words(part) if closing < _LAST_WORDS // 2 else []
        if len(found) >= count + _LAST_WORDS:
            return found[:count]
    return []


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
