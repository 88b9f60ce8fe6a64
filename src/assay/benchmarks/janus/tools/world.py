"""The data behind the tools, and what a conversation changes in its own copy of it."""

import copy
import hashlib
import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from assay.benchmarks.janus.task_file import DATA
from assay.benchmarks.janus.tools.errors import ToolError
from assay.engine.graders.exact import normalised

Entry = dict[str, Any]
_MOST_FILES = 50


@dataclass(slots=True)
class World:
    """What the tools read and change, in the layout of `tool_world.json`."""

    documents: list[Entry]
    employees: list[Entry]
    events: list[Entry]
    products: list[Entry]
    warehouses: list[Entry]
    customers: list[Entry]
    orders: list[Entry]
    parcels: list[Entry]
    weather: dict[str, dict[str, Entry]]
    rates: dict[str, dict[str, float]]
    files: dict[str, str]

    def write_file(self, path: str, content: str) -> None:
        if path not in self.files and len(self.files) >= _MOST_FILES:
            raise ToolError(f"there are {_MOST_FILES} files already, and no more can be written")
        self.files[path] = content


@cache
def _content() -> Entry:
    return json.loads(DATA.joinpath("tool_world.json").read_text(encoding="utf-8"))


def new_world() -> World:
    return World(**copy.deepcopy(_content()))


def entry_with(entries: list[Entry], key: str, value: str) -> Entry:
    """The entry with this value, whatever its letter case."""
    for entry in entries:
        if entry[key].lower() == value.strip().lower():
            return entry
    raise ToolError(f"there is no {key} {value!r}")


def best_matches(entries: list[Entry], keys: tuple[str, ...], query: str, *, most: int) -> list[Entry]:
    """The entries that have the most words of the query, in the order of the list where they tie."""
    wanted = set(normalised(query).split())
    counted = [(len(wanted & _words(" ".join(str(entry[key]) for key in keys))), entry) for entry in entries]
    counted.sort(key=lambda one: -one[0])
    return [entry for count, entry in counted[:most] if count]


def new_id(kind: str, *parts: object) -> str:
    """Depends on what is created alone, and cannot be guessed."""
    text = "\x1f".join(map(str, parts)).encode("utf-8", "replace")
    return f"{kind}_{hashlib.blake2b(text, digest_size=4, key=kind.encode()).hexdigest()}"


def _words(text: str) -> set[str]:
    return {normalised(word) for word in text.replace("/", " ").split()}
