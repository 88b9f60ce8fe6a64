"""Comparisons with small letters that do not write a whole answer in small letters first."""

_CAPITAL_SIGMA = "Σ"


def starts_with_lower(text: str, start: str) -> bool:
    """Whether `text.lower()` starts so."""
    return _lower(text, slice(len(start))).startswith(start)


def ends_with_lower(text: str, end: str) -> bool:
    """Whether `text.lower()` ends so."""
    return _lower(text, slice(max(0, len(text) - len(end)), None)).endswith(end)


def is_lower_of(lower: str, text: str) -> bool:
    """Whether `text.lower()` is this; in small letters a text is never shorter."""
    return len(text) <= len(lower) and text.lower() == lower


def lower_count(text: str, part: str) -> int:
    return text.lower().count(part)


def _lower(text: str, where: slice) -> str:
    """No letter becomes fewer in small letters, and only the capital sigma looks at its neighbours."""
    part = text[where]
    return text.lower() if _CAPITAL_SIGMA in part else part.lower()
