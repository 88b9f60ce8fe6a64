"""`${NAME}` in the texts of a suite: variables of the environment."""

import re
from collections.abc import Mapping

from assay.adapters.suites.document import Document, Fault, Path, Value, shown

# `$${NAME}` stands for the text `${NAME}`.
_VARIABLE = re.compile(r"\$(\$?)\{([^}]*)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Elsewhere a number or a text is wanted, as which pydantic would take true and false.
_FLAGS = ("logprobs", "reuse")


class Variables:
    """Puts the values in; the faults are collected, and say nothing of a value."""

    def __init__(self, document: Document, environment: Mapping[str, str]) -> None:
        self._document = document
        self._environment = environment
        self.faults: list[Fault] = []

    def filled(self) -> Document:
        values = {name: self._filled(value, (name,)) for name, value in self._document.values.items()}
        return Document(values, self._document.lines)

    def _filled(self, value: Value, path: Path) -> Value:
        if isinstance(value, dict):
            return {name: self._filled(one, (*path, name)) for name, one in value.items()}
        if isinstance(value, list):
            return [self._filled(one, (*path, index)) for index, one in enumerate(value)]
        if isinstance(value, bool) and "options" not in path and path[-1] not in _FLAGS:
            self._fault(path, "must not be true or false")
        return self._text(value, path) if isinstance(value, str) else value

    def _text(self, text: str, path: Path) -> str:
        # The values of headers may be secret: they are put in when a call is made.
        stays = "headers" in path[:-1]

        def put_in(found: re.Match[str]) -> str:
            is_escaped, name = found[1], found[2]
            if is_escaped:
                return found[0] if stays else found[0][1:]
            if not _NAME.fullmatch(name):
                self._fault(path, f"${{{name}}} names no variable; write $${{…}} for the text itself")
                return ""
            if not self._environment.get(name):
                self._fault(path, f"needs the environment variable {name}, which is not set")
                return found[0] if stays else ""
            return found[0] if stays else self._environment[name]

        return _VARIABLE.sub(put_in, text)

    def _fault(self, path: Path, message: str) -> None:
        self.faults.append(Fault(self._document.line(path), shown(path), message))
