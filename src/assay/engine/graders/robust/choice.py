"""The option a reply chooses: the last statement that names one wins."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.engine.graders.exact import normalised
from assay.engine.graders.robust import choice_patterns as patterns
from assay.engine.graders.robust.cues import cues_backwards
from assay.engine.graders.robust.markup import BOX_CLOSES, plain
from assay.engine.graders.robust.visible import may_hold_reasoning, visible_text

# An answer is mostly stated at the end: where it is, the rest need not be read.
_CLOSING = 500
_MOST_TRIED = 16
_CALLED_THE_ANSWER = ("answer", "option", "choice", "one")
_CALLED_CORRECT = ("correct", "right", "best")
_CLAUSE_ENDS = ("", "\n", ".", ",", ";", ":", "!", ")", "<", BOX_CLOSES)
# After a letter: a question, a formula, a choice between two, a part of a name.
_NO_CHOICE = frozenset("?=+/^_%*\u00b0")
_AS_WORDS = "AI"
_SHOWN_AFTER = 24


@dataclass(frozen=True, slots=True)
class _Statement:
    """A choice and where it ends; None is a choice between several, which is no answer."""

    end: int
    letter: str | None


def robust_choice(reply: str, *, letters: str, options: Sequence[str] = ()) -> str | None:
    """The letter, of those offered, that the reply chooses; None where it chooses none or several.

    With the `options`, a statement that gives the text of exactly one of them counts as its letter.
    """
    ending = patterns.PLAIN_ENDING.search(reply, max(0, len(reply) - _SHOWN_AFTER))
    if ending and ending["letter"] in letters and not may_hold_reasoning(reply):
        return ending["letter"]
    text = plain(visible_text(reply))
    whole = _Reader(text, letters, options)
    stated = None
    if len(text) > _CLOSING:
        stated = _Reader(text[-_CLOSING:].partition("\n")[2], letters, options).statement()
    stated = stated or whole.statement()
    return stated.letter if stated else whole.hint()


class _Reader:
    def __init__(self, text: str, letters: str, options: Sequence[str] = ()) -> None:
        self._text = text
        self._letters = letters
        self._options = options

    def statement(self) -> _Statement | None:
        """The last statement that makes a choice."""
        found = (self._cued(), self._called(_CALLED_THE_ANSWER), self._boxed(), self._last_line())
        return max((one for one in found if one), key=lambda one: one.end, default=None)

    def hint(self) -> str | None:
        """What a reply without any statement suggests."""
        rated = self._called(_CALLED_CORRECT)
        return (
            self._ticked()
            or (rated and rated.letter)
            or self._listed()
            or self._first_line()
            or self._at_end()
        )

    def _cued(self) -> _Statement | None:
        for cue in cues_backwards(self._text):
            statement = self._answered(cue.end) if cue.kind == "answer" else self._chosen(cue.end)
            if statement is not None:
                return statement
        return None

    def _answered(self, at: int) -> _Statement | None:
        stated = patterns.STATED.match(self._text, at)
        if stated and not patterns.DENIED.search(self._text[at : stated.start("letter")]):
            letter = self._choice(stated)
            if letter:
                return self._unless_between(stated, letter)
        return self._chosen(at) or self._named_after(at)

    def _chosen(self, at: int) -> _Statement | None:
        follows = patterns.FOLLOWING.match(self._text, at)
        if follows is None or not self._ends_clause(follows):
            return None
        letter = self._choice(follows)
        return self._unless_between(follows, letter) if letter else None

    def _named_after(self, at: int) -> _Statement | None:
        content = patterns.CONTENT.match(self._text, at) if self._options else None
        letter = self._named(content["content"].partition("</")[0]) if content else None
        return _Statement(content.end(), letter) if content and letter else None

    def _named(self, content: str) -> str | None:
        """The letter of the only option whose text this is."""
        wanted = normalised(content)
        found = [
            letter
            for letter, option in zip(self._letters, self._options, strict=False)
            if normalised(option) == wanted
        ]
        return found[0] if wanted and len(found) == 1 else None

    def _boxed(self) -> _Statement | None:
        for box in reversed(list(patterns.BOX.finditer(self._text))[-_MOST_TRIED:]):
            inner = _Reader(box["content"].strip(), self._letters)
            stated = inner._opening()
            letter = stated.letter if stated else self._named(box["content"])
            if stated or letter:
                return _Statement(box.end(), letter)
        return None

    def _opening(self) -> _Statement | None:
        """A choice that the text begins with and that is all of its first clause."""
        whole = patterns.WHOLE.match(self._text)
        letter = self._choice(whole) if whole else None
        if whole is None or letter is None:
            return None
        statement = self._unless_between(whole, letter)
        return statement if self._ends_clause(whole) or statement.letter is None else None

    def _called(self, nouns: tuple[str, ...]) -> _Statement | None:
        """The last letter that is called the answer, or correct."""
        for called in reversed(list(patterns.CALLED_RIGHT.finditer(self._text))[-_MOST_TRIED:]):
            if called["noun"] in nouns and self._is_affirmed(called):
                letter = self._choice(called)
                if letter:
                    return _Statement(called.end(), letter)
        return None

    def _is_affirmed(self, called: re.Match[str]) -> bool:
        before = self._text[max(0, called.start() - 30) : called.start()]
        return not patterns.SUPPOSED.search(before) and self._text[called.end() : called.end() + 1] != "?"

    def _last_line(self) -> _Statement | None:
        letter = self._whole_line(self._text.rpartition("\n")[2])
        return _Statement(len(self._text), letter) if letter else None

    def _first_line(self) -> str | None:
        return self._whole_line(self._text.partition("\n")[0])

    def _whole_line(self, line: str) -> str | None:
        whole = patterns.WHOLE.fullmatch(line)
        return self._offered(whole["letter"]) if whole else None

    def _listed(self) -> str | None:
        """The letter that opens the reply or its last line, unless others open lines: that is a list."""
        found = {letter.upper() for letter in patterns.LISTED.findall(self._text)}
        if len(found) != 1:
            return None
        lines = self._text.partition("\n")[0], self._text.rpartition("\n")[2]
        return self._offered(found.pop()) if any(map(patterns.LISTED.match, lines)) else None

    def _ticked(self) -> str | None:
        found = set(patterns.TICKED.findall(self._text))
        return self._offered(found.pop()) if len(found) == 1 else None

    def _at_end(self) -> str | None:
        found = patterns.AT_END.search(self._text, max(0, len(self._text) - 60))
        return self._choice(found) if found else None

    def _unless_between(self, found: re.Match[str], letter: str) -> _Statement:
        second = patterns.SECOND.match(self._text, found.end("closes"))
        is_between = second is not None and self._choice(second) not in (None, letter)
        return _Statement(found.end("closes"), None if is_between else letter)

    def _choice(self, found: re.Match[str]) -> str | None:
        """The letter found, if it is one of those offered and not the start of a sentence or a formula."""
        letter = self._offered(found["letter"])
        rest = self._text[found.end("closes") : found.end("closes") + _SHOWN_AFTER]
        if letter is None or self._goes_on(rest):
            return None
        if found["closes"] or not rest.startswith(" "):
            return letter
        return letter if found["letter"].isupper() and not _is_word(letter, rest) else None

    @staticmethod
    def _goes_on(rest: str) -> bool:
        return (
            rest[:1] in _NO_CHOICE
            or rest[:2] in (" ?", " =", " +")
            or (rest[:1] == "-" and rest[1:2].isalnum())
        )

    def _ends_clause(self, found: re.Match[str]) -> bool:
        rest = self._text[found.end("closes") : found.end("closes") + _SHOWN_AFTER]
        return bool(found["closes"]) or rest[:1] in _CLAUSE_ENDS or rest.startswith(patterns.REASONS)

    def _offered(self, letter: str) -> str | None:
        return letter.upper() if letter.upper() in self._letters else None


def _is_word(letter: str, rest: str) -> bool:
    following = rest.split(maxsplit=1)[0] if rest.strip() else ""
    is_sentence = following[:1].islower() and following.strip(",.;:") not in patterns.LINKS
    return letter in _AS_WORDS and is_sentence
