import unicodedata

import numpy as np

from assay.engine.graders.english.code_points import codes_of

_LAST_ASCII = 0x7F
_UNKNOWN, _SEVERAL, _NONE = 0xFF, 0xFE, 0
_letters = np.full(0x110000, _UNKNOWN, np.uint8)


class _PlainLetters(dict[int, str]):
    """What `str.translate` asks for: each character is looked up when a text first has it."""

    def __missing__(self, code: int) -> str:
        apart = unicodedata.normalize("NFKD", chr(code))
        self[code] = apart.encode("ascii", "ignore").decode("ascii")
        return self[code]


_plain_letters = _PlainLetters()


def plain_letters(text: str) -> str:
    """The text without accents, and without whatever has no ASCII letter: "São" becomes "Sao".

    Character by character: taken apart, the marks of a long row would be put in order, in quadratic time.
    """
    if text.isascii():
        return text
    codes = codes_of(text)
    places = np.flatnonzero(codes > _LAST_ASCII)
    beyond = codes[places]
    letters = _letters[beyond]
    if (letters == _UNKNOWN).any():
        _learn(set(beyond[letters == _UNKNOWN].tolist()))
        letters = _letters[beyond]
    if (letters == _SEVERAL).any():
        return text.translate(_plain_letters)
    plain = codes.astype(np.uint8)
    plain[places] = letters
    are_kept = np.ones(len(codes), np.bool_)
    are_kept[places] = letters != _NONE
    return plain[np.flatnonzero(are_kept)].tobytes().decode("ascii")


def _learn(codes: set[int]) -> None:
    for code in codes:
        plain = _plain_letters[code]
        _letters[code] = _SEVERAL if len(plain) > 1 else ord(plain or "\0")
