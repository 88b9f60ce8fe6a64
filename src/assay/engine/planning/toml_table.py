"""Reads a TOML table strictly: every key has a type, and unknown keys are errors."""

from collections.abc import Mapping
from typing import TypeVar, cast

from assay.domain.errors import InvalidValueError

Word = TypeVar("Word", bound=str)


class _Absent:
    """No default: the key is required."""


_ABSENT = _Absent()


class Table:
    """Errors name the file and the key, dotted as TOML writes it."""

    def __init__(self, file: str, content: Mapping[str, object], *, path: str = "") -> None:
        self._file = file
        self._content = content
        self._path = path
        self._read: set[str] = set()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._content)

    def error(self, key: str, fault: str) -> InvalidValueError:
        return InvalidValueError(f"{self._file}: key {self._dotted(key)!r} {fault}")

    def finish(self) -> None:
        """Raise if the table has a key that was not read."""
        unknown = sorted(self._content.keys() - self._read)
        if unknown:
            known = ", ".join(sorted(self._read))
            raise self.error(unknown[0], f"is not known; known here: {known}")

    def text(self, key: str, *, default: str | _Absent = _ABSENT) -> str:
        value = self._value(key, default)
        if value is default and isinstance(value, str):
            return value
        if not isinstance(value, str) or not value.strip():
            raise self.error(key, f"must be a text that is not empty, not {value!r}")
        return value

    def flag(self, key: str, *, default: bool | _Absent = _ABSENT) -> bool:
        value = self._value(key, default)
        if not isinstance(value, bool):
            raise self.error(key, f"must be true or false, not {value!r}")
        return value

    def integer(self, key: str, *, at_least: int | None = None) -> int:
        return self._integer(key, self._value(key, _ABSENT), at_least)

    def optional_integer(self, key: str, *, at_least: int | None = None) -> int | None:
        return self.integer(key, at_least=at_least) if self._has(key) else None

    def integers(self, key: str) -> tuple[int, ...]:
        return tuple(self._integer(key, value, None) for value in self._array(key, _ABSENT))

    def number(self, key: str, *, at_least: float, at_most: float = float("inf")) -> float:
        value = self._value(key, _ABSENT)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.error(key, f"must be a number, not {value!r}")
        if not at_least <= value <= at_most:
            limit = f"at least {at_least}" if at_most == float("inf") else f"from {at_least} to {at_most}"
            raise self.error(key, f"must be {limit}, not {value}")
        return float(value)

    def optional_number(self, key: str, *, at_least: float, at_most: float = float("inf")) -> float | None:
        return self.number(key, at_least=at_least, at_most=at_most) if self._has(key) else None

    def texts(self, key: str, *, default: tuple[str, ...] | _Absent = _ABSENT) -> tuple[str, ...]:
        values = self._array(key, default)
        if not all(isinstance(value, str) for value in values):
            raise self.error(key, f"must be an array of texts, not {list(values)}")
        return cast("tuple[str, ...]", values)  # every value was checked above

    def choice(self, key: str, words: tuple[Word, ...], *, default: Word | _Absent = _ABSENT) -> Word:
        value = default if isinstance(default, str) and not self._has(key) else self.text(key)
        return self.one_of(key, value, words)

    def one_of(self, key: str, value: str | _Absent, words: tuple[Word, ...]) -> Word:
        for word in words:
            if word == value:
                return word
        raise self.error(key, f"must be one of {', '.join(map(repr, map(str, words)))}, not {value!r}")

    def table(self, key: str, *, default: Mapping[str, object] | _Absent = _ABSENT) -> "Table":
        return self._nested(key, self._value(key, default), key)

    def tables(self, key: str) -> tuple["Table", ...]:
        return tuple(
            self._nested(key, value, f"{key}[{index}]")
            for index, value in enumerate(self._array(key, _ABSENT))
        )

    def _integer(self, key: str, value: object, at_least: int | None) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.error(key, f"must be a whole number, not {value!r}")
        if at_least is not None and value < at_least:
            raise self.error(key, f"must be at least {at_least}, not {value}")
        return value

    def _array(self, key: str, default: tuple[object, ...] | _Absent) -> tuple[object, ...]:
        value = self._value(key, default)
        if not isinstance(value, list | tuple):
            raise self.error(key, f"must be an array, not {value!r}")
        return tuple(cast("list[object]", value))  # TOML arrays hold anything; the caller checks each value

    def _nested(self, key: str, value: object, name: str) -> "Table":
        if not isinstance(value, Mapping):
            raise self.error(key, f"must be a table, not {value!r}")
        # TOML tables have text keys only.
        return Table(self._file, cast("Mapping[str, object]", value), path=self._dotted(name))

    def _has(self, key: str) -> bool:
        self._read.add(key)
        return key in self._content

    def _value(self, key: str, default: object) -> object:
        if self._has(key):
            return self._content[key]
        if default is _ABSENT:
            raise self.error(key, "is missing")
        return default

    def _dotted(self, key: str) -> str:
        return f"{self._path}.{key}" if self._path else key
