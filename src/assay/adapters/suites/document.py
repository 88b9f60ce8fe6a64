"""A file as plain values, with the line of each; in TOML or YAML."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from assay.adapters.suites.toml_lines import toml_lines
from assay.adapters.suites.yaml_values import YamlFaultError, yaml_values

TOML_ENDINGS = (".toml",)
YAML_ENDINGS = (".yaml", ".yml")
ENDINGS = (*TOML_ENDINGS, *YAML_ENDINGS)
MAX_BYTES = 1_000_000
_LINE = re.compile(r" \(at line (\d+), column \d+\)")

Value = None | bool | int | float | str | list["Value"] | dict[str, "Value"]
Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """`line` counts from 1; `field` is empty for what concerns the whole file."""

    line: int
    field: str
    message: str

    def text(self, file: str) -> str:
        where = f"{self.field}: " if self.field else ""
        return f"{file}:{self.line}: {where}{self.message}"


@dataclass(frozen=True, slots=True)
class Document:
    values: dict[str, Value]
    lines: Mapping[Path, int]

    def line(self, path: Path) -> int:
        """The line where the value stands, or else the innermost value around it."""
        return next(
            (self.lines[path[:end]] for end in range(len(path), 0, -1) if path[:end] in self.lines), 1
        )


class DocumentFaultError(Exception):
    """The file is not of its language."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


def parsed(data: bytes, *, is_yaml: bool) -> Document:
    """Raises DocumentFaultError."""
    language = "YAML" if is_yaml else "TOML"
    if len(data) > MAX_BYTES:
        raise _whole(f"a suite has at most {MAX_BYTES:,} bytes, not {len(data):,}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DocumentFaultError(Fault(line, "", "the file is not UTF-8")) from error
    try:
        return _of_yaml(text) if is_yaml else _of_toml(text)
    except RecursionError as error:
        raise _whole(f"the {language} is nested too deep") from error


def shown(path: Path) -> str:
    """A path as it is written in messages: `models[0].base_url`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


def _of_toml(text: str) -> Document:
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _LINE.search(str(error))
        line = int(place[1]) if place else text.count("\n") + 1
        said = _LINE.sub("", str(error)).replace(" (at end of document)", " at the end")
        raise DocumentFaultError(Fault(line, "", f"this is not TOML: {said}")) from error
    return Document(values, toml_lines(text))


def _of_yaml(text: str) -> Document:
    try:
        values, lines = yaml_values(text)
    except YamlFaultError as error:
        raise DocumentFaultError(Fault(error.line, shown(error.path), error.message)) from error
    if values is None:
        values = {}
    if not isinstance(values, dict):
        raise _whole("a suite is a mapping with the keys models and benchmarks")
    return Document(cast("dict[str, Value]", values), lines)  # every key was checked


def _whole(message: str) -> DocumentFaultError:
    return DocumentFaultError(Fault(1, "", message))
