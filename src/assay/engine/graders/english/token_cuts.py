"""Where the word tokenizer cuts a long text: the rules of `words`, each applied to all of the text at once.

Marks that stand together may be cut where the tokenizer does not cut them; whatever has a letter or a digit
is cut as it does. Where sentences end matters to their last periods only.
"""

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from assay.engine.graders.english.flags import Bytes, Flags, Places, after, among, before, seconds_of_pairs
from assay.engine.graders.english.packed import MASKS, PACKED, number, overlapping
from assay.engine.graders.english.token_characters import (
    ALPHANUMERIC,
    APART_EARLY,
    APART_LATE,
    BEHIND_SENTENCE,
    CLOSING,
    DECIMAL,
    SEPARATOR,
    SPACE,
    WORD,
    Characters,
)

_APOSTROPHE, _HYPHEN, _PERIOD, _COMMA, _COLON, _BLANK = b"'-.,: "
_ONE_LETTER_CLITICS, _SPLIT_OFF = b"mtsdn", b"sSmMdD"
_TWO_LETTER_CLITICS = (b"ll", b"re", b"ve")
# All of these are cut between their equal letters.
_CONTRACTIONS = (b"cannot", b"gimme", b"gonna", b"gotta", b"lemme", b"wanna")
_EQUAL_LETTERS, _HALF = b"nmt", 3
_BEFORE_SPACE = b"wanna"
# Where these are cut, some only behind another cut.
_WITH_APOSTROPHES = {b"d'ye": 1, b"more'n": 4, b"'tis": 2, b"'twas": 2}
_BEHIND_OTHERS = (b"'tis", b"'twas")


class Tokenizer:
    """Cuts are flags of the characters that have one before them.

    Before the first and behind the last character that is no white space there are as many line ends as any
    rule looks at, so places are counted from the first of these.
    """

    def __init__(self, text: str) -> None:
        around = "\n" * PACKED
        self.characters = Characters(f"{around}{text.rstrip()}{around}")

    @cached_property
    def least(self) -> Flags:
        """The cuts that there are wherever sentences end, and whatever follows the text."""
        return self._cuts(None, blanks=self.plain == _BLANK, spaces=self._is(SPACE))

    def most(self, final: Flags) -> Flags:
        """No fewer than there are if sentences end at some of these periods."""
        return self._cuts(final, blanks=self.gaps, spaces=self.gaps)

    def exact(self, starts: Places, stops: Places) -> Flags:
        """The cuts in a text whose sentences start and stop there."""
        final = self._final(starts + PACKED, stops + PACKED)
        bounds = np.zeros(len(final), np.bool_)
        bounds[starts + PACKED] = True
        return self._cuts(final, bounds, blanks=self.plain == _BLANK, spaces=self._is(SPACE))

    def words_of_one_sentence(self) -> Iterator[str]:
        """The words of a text that is a sentence, but for marks that stand together."""
        text = self.characters.text
        cuts = self.exact(np.array([0]), np.array([len(text) - 2 * PACKED]))
        starts = np.flatnonzero(~self.gaps & (cuts | before(self.gaps)))
        stops = np.flatnonzero(~self.gaps & after(cuts | self.gaps)) + 1
        return (text[start:stop] for start, stop in zip(starts, stops, strict=True))

    def starts(self, cuts: Flags) -> Flags:
        """The first characters of words, but for marks that always stand apart."""
        return (cuts | before(self.gaps)) & self._joined

    def ends(self, cuts: Flags) -> Flags:
        """The characters behind words."""
        return cuts | self.gaps

    @cached_property
    def gaps(self) -> Flags:
        return self._is(SPACE | SEPARATOR)

    @cached_property
    def possibly_final(self) -> Flags:
        return self._single_periods & after(self._is(BEHIND_SENTENCE))

    def possibly_final_next_to(self, behind: Flags, ahead: bytes = b"") -> Flags:
        """Those behind flagged characters or clitics, or with an apostrophe or one of the others ahead."""
        at = np.flatnonzero(self.possibly_final)
        plain = self.plain
        chosen = behind[at - 1] | among(plain[at + 1], b"'" + ahead)
        for distance in (1, 2, 3):
            chosen |= plain[at - distance] == _APOSTROPHE
        final = np.zeros(len(plain), np.bool_)
        final[at[chosen]] = True
        return final

    @cached_property
    def ends_before_space(self) -> Flags:
        """The last letters of what is cut in two only before white space."""
        at, length, needs_space = self._contractions
        ends = np.zeros(len(self.plain), np.bool_)
        ends[(at + length - 1)[needs_space]] = True
        return ends

    def _cuts(
        self, final: Flags | None, bounds: Flags | None = None, *, blanks: Flags, spaces: Flags
    ) -> Flags:
        apart = self._apart_early if final is None else self._apart_early | final
        cut = apart | before(apart)
        cut |= self._cut_at_commas
        apostrophes = self._apostrophes
        if apostrophes.size:
            cut[self._opening_apostrophes + 1] = True
            cut[apostrophes[(cut | blanks)[apostrophes + 1]]] = True
        cut |= self._cut_late
        if bounds is not None:
            cut |= bounds
        if apostrophes.size:
            self._cut_clitics(cut, spaces)
        self._cut_contractions(cut)
        return cut

    def _cut_clitics(self, cut: Flags, spaces: Flags) -> None:
        """Those at the ends of words: before white space or another cut."""
        at, plain = self._apostrophes, self.plain
        following = plain[at + 1]
        ended = cut | spaces
        split_off = at[ended[at + 1] | (among(following, _SPLIT_OFF) & ended[at + 2])]
        cut[split_off] = ended[split_off] = True
        second = plain[at + 2]
        pairs = np.zeros(len(at), np.bool_)
        for one, two in (*_TWO_LETTER_CLITICS, *(pair.upper() for pair in _TWO_LETTER_CLITICS)):
            pairs |= (following == one) & (second == two)
        pairs &= ended[at + 3]
        before_it = plain[at - 1]
        negated = (before_it == ord("n")) & (following == ord("t"))
        negated |= (before_it == ord("N")) & (following == ord("T"))
        negated &= ended[at + 2] & (plain[at - 2] != _APOSTROPHE)
        cut[at[pairs]] = True
        cut[at[negated] - 1] = True

    def _cut_contractions(self, cut: Flags) -> None:
        letters = self.letters
        at, length, needs_space = self._contractions
        if at.size:
            stop = at + length
            ended = cut[stop] | np.where(needs_space, self.gaps[stop], ~letters[stop])
            whole = ended & (cut[at] | ~letters[at - 1])
            _cut_in_two(cut, at[whole], _HALF, length[whole])
        for word, at in self._with_apostrophes.items():
            stop = at + len(word)
            whole = at[cut[stop] | ~letters[stop]]
            is_apart = (
                ~cut[whole + 1] & cut[whole] if word in _BEHIND_OTHERS else cut[whole] | ~letters[whole - 1]
            )
            _cut_in_two(cut, whole[is_apart], _WITH_APOSTROPHES[word], len(word))

    def _final(self, starts: Places, stops: Places) -> Flags:
        """The periods that at most blanks, quotes and brackets part from the end of the sentence."""
        is_closing = (self.characters.cases & CLOSING) != 0
        last = stops - 1
        closed = np.flatnonzero(is_closing[last])
        if closed.size:
            others = np.flatnonzero(~is_closing)
            last[closed] = others[np.searchsorted(others, stops[closed]) - 1]
        is_final = (last > starts) & self._single_periods[last]
        if closed.size:
            quotes = np.append(self._opening_quotes, len(is_closing))
            is_final[closed] &= quotes[np.searchsorted(quotes, last[closed])] >= stops[closed]
        final = np.zeros(len(is_closing), np.bool_)
        final[last[is_final]] = True
        return final

    def _is(self, shape: int) -> Flags:
        return (self.characters.shapes & shape) != 0

    @cached_property
    def plain(self) -> Bytes:
        return np.frombuffer(self.characters.plain, np.uint8)

    @cached_property
    def letters(self) -> Flags:
        return self._is(ALPHANUMERIC)

    @cached_property
    def _single_periods(self) -> Flags:
        periods = self.plain == _PERIOD
        return periods & ~(before(periods) | after(periods))

    @cached_property
    def _apart_early(self) -> Flags:
        ellipses = (self.plain == _PERIOD) & ~self._single_periods
        return ellipses | self._is(APART_EARLY)

    @cached_property
    def _cut_at_commas(self) -> Flags:
        """Around each before anything but a digit; of two together the second is not looked at again."""
        commas = (self.plain == _COMMA) | (self.plain == _COLON)
        seconds = seconds_of_pairs(commas)
        parting = commas & ~after(self._is(DECIMAL))
        parting[seconds - 1] = True
        parting[seconds] = False
        return parting | before(parting)

    @cached_property
    def _cut_late(self) -> Flags:
        apart = self._is(APART_LATE)
        cut = apart | before(apart)
        for seconds in (seconds_of_pairs(self.plain == _HYPHEN), self._quoting_apostrophes):
            cut[seconds - 1] = cut[seconds + 1] = True
        return cut

    @cached_property
    def _quoting_apostrophes(self) -> Places:
        """The second of each two together, which are taken for a quotation mark."""
        return seconds_of_pairs(self.plain == _APOSTROPHE)

    @cached_property
    def _apostrophes(self) -> Places:
        """Those that are left alone."""
        apostrophes = self.plain == _APOSTROPHE
        for pairs in (self._quoting_apostrophes - 1, self._quoting_apostrophes):
            apostrophes[pairs] = False
        return np.flatnonzero(apostrophes)

    @cached_property
    def _opening_apostrophes(self) -> Places:
        """Those before a word other than a clitic."""
        word = self._is(WORD)
        at = self._apostrophes
        at = at[word[at + 1] & ~word[at - 1]]
        first, second = self._folded[at + 1], self._folded[at + 2]
        clitics = among(first, _ONE_LETTER_CLITICS) & ~word[at + 2]
        for one, two in _TWO_LETTER_CLITICS:
            clitics |= (first == one) & (second == two) & ~word[at + 3]
        return at[~clitics]

    @cached_property
    def _opening_quotes(self) -> Places:
        """The blanks before them."""
        apostrophes = self.plain == _APOSTROPHE
        quotes = (self.plain == ord('"')) | (apostrophes & after(apostrophes))
        return np.flatnonzero((self.plain == _BLANK) & after(quotes))

    @cached_property
    def _contractions(self) -> tuple[Places, Places, Flags]:
        """Where those without apostrophes start, how long they are, and which must end before a space."""
        folded = self._folded
        doubled = np.flatnonzero((folded[1:] == folded[:-1]) & among(folded[1:], _EQUAL_LETTERS))
        at = doubled - _HALF + 1
        found = overlapping(self.characters.folded)[at]
        length = np.zeros(len(at), np.intp)
        for word in _CONTRACTIONS:
            length[(found & MASKS[len(word)]) == number(word)] = len(word)
        needs_space = (found & MASKS[len(_BEFORE_SPACE)]) == number(_BEFORE_SPACE)
        whole = np.flatnonzero(length)
        return at[whole], length[whole], needs_space[whole]

    @cached_property
    def _with_apostrophes(self) -> dict[bytes, Places]:
        """Where those that there are start."""
        places: dict[bytes, Places] = {}
        following = self._folded[self._apostrophes + 1]
        for word in _WITH_APOSTROPHES:
            place = word.index(b"'")
            at = self._apostrophes[following == word[place + 1]] - place
            at = at[(overlapping(self.characters.folded)[at] & MASKS[len(word)]) == number(word)]
            if at.size:
                places[word] = at
        return places

    @cached_property
    def _folded(self) -> Bytes:
        return np.frombuffer(self.characters.folded, np.uint8)

    @cached_property
    def _joined(self) -> Flags:
        return ~self._is(SPACE | SEPARATOR | APART_EARLY | APART_LATE)


def _cut_in_two(cut: Flags, places: Places, half: int, length: Places | int) -> None:
    for offset in (0, half, length):
        cut[places + offset] = True
