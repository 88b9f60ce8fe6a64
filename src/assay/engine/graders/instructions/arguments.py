"""The arguments of one instruction; where the official scorer draws a missing one at random, this raises."""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, TypeGuard

from assay.domain.errors import DataError

Relation: TypeAlias = Callable[[int, int], bool]

_RELATIONS: Mapping[str, Relation] = {"less than": operator.lt, "at least": operator.ge}


@dataclass(frozen=True, slots=True)
class Arguments:
    """Typed access to the keyword arguments; each reader raises DataError on a value it cannot use."""

    instruction_id: str
    values: Mapping[str, object]

    def text(self, name: str) -> str:
        value = self._present(name)
        if not isinstance(value, str) or not value:
            raise self.error(f"{name!r} must be a non-empty text, not {value!r}")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        value = self._present(name)
        if not _are_texts(value) or not value:
            raise self.error(f"{name!r} must be a list of texts, not {value!r}")
        return tuple(value)

    def integer(self, name: str) -> int:
        value = self._present(name)
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.error(f"{name!r} must be a whole number, not {value!r}")
        return value

    def count(self, name: str) -> int:
        number = self.integer(name)
        if number < 0:
            raise self.error(f"{name!r} must not be negative, but is {number}")
        return number

    def position(self, name: str) -> int:
        number = self.integer(name)
        if number < 1:
            raise self.error(f"{name!r} counts from 1, but is {number}")
        return number

    def number(self, name: str) -> float:
        value = self._present(name)
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self.error(f"{name!r} must be a number, not {value!r}")
        return value

    def relation(self, name: str) -> Relation:
        relation = _RELATIONS.get(self.text(name))
        if relation is None:
            raise self.error(f"{name!r} must be one of {sorted(_RELATIONS)}, not {self.text(name)!r}")
        return relation

    def pattern(self, source: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
        """The official scorer uses keywords and markers as regular expressions, unescaped."""
        try:
            return re.compile(source, flags)
        except re.error as error:
            raise self.error(f"{source!r} is not a regular expression: {error}") from error

    def error(self, problem: str) -> DataError:
        return DataError(f"arguments of {self.instruction_id!r}: {problem}; correct the row")

    def _present(self, name: str) -> object:
        value = self.values.get(name)
        if value is None:
            raise self.error(f"{name!r} is missing")
        return value


def _are_texts(value: object) -> TypeGuard[list[str] | tuple[str, ...]]:
    if not isinstance(value, list | tuple):
        return False
    return all(isinstance(entry, str) for entry in value)  # pyright: ignore[reportUnknownVariableType] # is asked


Check: TypeAlias = Callable[[str, Arguments], bool]
