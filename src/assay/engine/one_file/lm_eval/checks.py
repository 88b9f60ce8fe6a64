"""Takes keys from a task file and collects what is wrong with them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import cast

from assay.domain.errors import InvalidValueError
from assay.engine.one_file.lm_eval.templates import template_fault
from assay.engine.one_file.lm_eval.yaml_file import Places, PythonFunction, TaskFile

_OTHERWISE = "write the task as a benchmark in one file (docs/how-to/a-benchmark-in-one-file.md)"


class Checked:
    def __init__(self, file: TaskFile) -> None:
        self._file = file
        self._taken: set[str] = set()
        self._faults: list[str] = []

    def take(self, key: str) -> object:
        self._taken.add(key)
        return self._file.keys.get(key)

    def add(self, key: str, fault: str, within: Mapping[str, object] | None = None) -> None:
        """With the line of the first key of `within`, where that is given."""
        place = next(iter(within.lines.values()), None) if isinstance(within, Places) else None
        self._faults.append(f"{place}: {key}: {fault}" if place else self._file.fault(key, fault))

    def finish(self) -> None:
        for key in sorted(self._file.keys.keys() - self._taken):
            if not isinstance(self._file.keys[key], PythonFunction):
                self.add(key, "is not supported")
        if self._faults:
            count = len(self._faults)
            first = f"{self._file.path} cannot be run: {count} thing{'s' if count > 1 else ''} in it"
            raise InvalidValueError("\n".join((f"{first} not supported or wrong", *self._faults)))

    def refuse_functions(self) -> None:
        for key, value in self._file.keys.items():
            name = next(_functions(value), None)
            if name is not None:
                self.add(key, f"names the Python function {name!r}, which is not run: {_OTHERWISE}")

    def text(self, key: str) -> str | None:
        value = self.take(key)
        if value is None or isinstance(value, str):
            return value or None
        if not isinstance(value, PythonFunction):
            self.add(key, f"must be text, not {value!r}")
        return None

    def whole(self, key: str, *, default: int, at_least: int, at_most: int) -> int:
        value = self.take(key)
        if value is None:
            return default
        if not isinstance(value, int) or isinstance(value, bool) or not at_least <= value <= at_most:
            self.add(key, f"must be a whole number from {at_least} to {at_most:,}, not {value!r}")
            return default
        return value

    def mapping(self, key: str) -> Mapping[str, object]:
        value = self.take(key)
        if value is None:
            return {}
        if not isinstance(value, Places):
            self.add(key, f"must be a mapping, not {value!r}")
            return {}
        return value

    def sequence(self, key: str) -> Sequence[Mapping[str, object]]:
        value = self.take(key)
        if value is None:
            return []
        members = cast("list[object]", value) if isinstance(value, list) else []
        found = [one for one in members if isinstance(one, Places)]
        if not found or len(found) != len(members):
            self.add(key, "must be a list of mappings")
        return found

    def template(self, key: str, *, is_needed: bool = True) -> str:
        text = self.text(key) or ""
        if is_needed and not text and not isinstance(self.take(key), PythonFunction):
            self.add(key, "is missing")
        if (fault := template_fault(text)) is not None:
            self.add(key, fault)
        return text

    def target(self, key: str) -> object:
        value = self.take(key)
        if isinstance(value, int | float | list) and not isinstance(value, bool):
            return cast("object", value)
        return self.template(key)

    def choices(self, key: str) -> object:
        """A list, a mapping whose values are taken, or a field or template that gives a list."""
        value = self.take(key)
        if value is None or isinstance(value, list | Places):
            return cast("object", value)
        return self.template(key)

    def pattern(self, key: str, pattern: str, within: Mapping[str, object]) -> None:
        try:
            re.compile(pattern)
        except re.error as error:
            self.add(key, f"{pattern!r} is not a pattern: {error}", within)

    def refuse_others(self, key: str, given: Mapping[str, object], known: AbstractSet[str]) -> None:
        for name in sorted(given.keys() - known):
            self.add(f"{key}.{name}", "is not supported", given)


def _functions(value: object) -> Iterator[str]:
    if isinstance(value, PythonFunction):
        yield value.name
    elif isinstance(value, Mapping):
        for member in cast("Mapping[object, object]", value).values():
            yield from _functions(member)
    elif isinstance(value, list):
        for member in cast("list[object]", value):
            yield from _functions(member)
