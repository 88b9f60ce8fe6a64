"""A benchmark's card, read from the `card.toml` in its folder.

Top-level keys are the fields of `Card`; `[source]` with its `[[source.files]]`, and `[generation]`, hold
the fields of `Source`, `DataFile` and `Generation`. `included = true` in `[source]`, and nothing else, says
that the data comes with the benchmark. `[variants.<name>]` may hold any of the same keys except
`name` and `source`: each one given replaces the card's own, a table as a whole. Nothing else may be
in the file.
"""

import tomllib
from collections.abc import Mapping
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath
from typing import cast

from assay.domain.benchmark import Card, DataFile, JudgeFacts, Need, Source
from assay.domain.calls.messages import Generation
from assay.domain.errors import InvalidValueError
from assay.engine.planning.toml_table import Table

FILE_NAME = "card.toml"
_SHA256_DIGITS = 64
# What identifies the data is the same for every variant: they differ in how they ask and grade.
_FIXED = frozenset({"name", "source"})


def load_card(folder: Path | Traversable, *, variant: str | None = None) -> Card:
    """Read and check the card in `folder`; with `variant`, as that variant of the benchmark."""
    file = folder / FILE_NAME
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidValueError(f"{file}: not valid TOML: {error}") from error
    except OSError as error:
        raise InvalidValueError(f"{file}: the card cannot be read: {error}") from error
    variants = _variants(str(file), content.pop("variants", {}))
    if variant is None:
        return _card(Table(str(file), content))
    if variant not in variants:
        known = ", ".join(sorted(variants)) or "none"
        raise InvalidValueError(f"{file}: no variant {variant!r}; the card has: {known}")
    name = Table(str(file), content).text("name")
    return _card(Table(str(file), {**content, **variants[variant], "name": f"{name}:{variant}"}))


def _variants(file: str, found: object) -> Mapping[str, Mapping[str, object]]:
    if not isinstance(found, dict):
        raise InvalidValueError(f"{file}: key 'variants' must be a table")
    # TOML tables have text keys only.
    tables = cast("dict[str, object]", found)
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise InvalidValueError(f"{file}: key 'variants.{name}' must be a table")
        fixed = sorted(_FIXED & cast("dict[str, object]", table).keys())
        if fixed:
            raise InvalidValueError(f"{file}: key 'variants.{name}.{fixed[0]}' is the same for every variant")
    return cast("dict[str, dict[str, object]]", tables)


def _card(table: Table) -> Card:
    needs = frozenset(
        Need(table.one_of("needs", need, tuple(Need))) for need in table.texts("needs", default=())
    )
    judge = _judge(table.table("judge", default={}))
    card = Card(
        name=table.text("name"),
        title=table.text("title"),
        version=table.text("version"),
        description=table.text("description").strip(),
        licence=table.text("licence"),
        source=_source(table),
        size=table.integer("size", at_least=1),
        metric=table.text("metric"),
        chance=table.number("chance", at_least=0, at_most=1),
        mode=table.choice("mode", ("official", "variant")),
        deviations=table.texts("deviations"),
        grader=table.text("grader"),
        generation=_generation(table.table("generation")),
        typical_output_tokens=_low_and_high(table, "typical_output_tokens"),
        typical_calls=_low_and_high(table, "typical_calls") if "typical_calls" in table.names else (1, 1),
        category=table.text("category", default="Core Benchmarks"),
        paper=table.text("paper", default=""),
        needs=needs,
        grading=table.choice("grading", ("light", "heavy"), default="light"),
        # A variant may be graded without the judge of its family.
        judge=judge if needs & {Need.JUDGE, Need.USER_MODEL} else None,
    )
    table.finish()
    return card


def _judge(table: Table) -> JudgeFacts | None:
    if not table.names:
        return None
    facts = JudgeFacts(
        model=table.text("model"),
        prompt_tokens=table.integer("prompt_tokens", at_least=1),
        output_tokens=_low_and_high(table, "output_tokens"),
    )
    table.finish()
    return facts


def _source(card: Table) -> Source:
    table = card.table("source")
    if table.flag("included", default=False):
        table.finish()
        return Source(card.text("name"), card.text("version"), ())
    names = table.table("local_names", default={})
    source = Source(
        repository=table.text("repository"),
        revision=table.text("revision"),
        files=tuple(_data_file(file) for file in table.tables("files")),
        gated=table.flag("gated", default=False),
        local_names={split: names.texts(split) for split in names.names},
    )
    table.finish()
    if not source.files:
        raise table.error("files", "names no file")
    strangers = source.local_names.keys() - {file.split for file in source.files}
    if strangers:
        raise names.error(min(strangers), "is not a split of any file")
    return source


def _data_file(table: Table) -> DataFile:
    file = DataFile(
        path=table.text("path"), split=table.text("split"), sha256=table.text("sha256", default="") or None
    )
    table.finish()
    # The path is joined to the data folder: it must not lead out of it.
    path = PurePosixPath(file.path)
    if path.is_absolute() or ".." in path.parts or "\\" in file.path:
        raise table.error("path", f"must stay inside the repository, not {file.path!r}")
    if file.sha256 is not None and not _is_sha256(file.sha256):
        raise table.error("sha256", "must be 64 lower-case hexadecimal digits")
    return file


def _is_sha256(text: str) -> bool:
    return len(text) == _SHA256_DIGITS and set(text) <= set("0123456789abcdef")


def _generation(table: Table) -> Generation:
    generation = Generation(
        temperature=table.optional_number("temperature", at_least=0),
        top_p=table.optional_number("top_p", at_least=0, at_most=1),
        max_tokens=table.optional_integer("max_tokens", at_least=1),
        reasoning_effort=table.text("reasoning_effort", default="") or None,
        seed=table.optional_integer("seed"),
        stop=table.texts("stop", default=()),
    )
    table.finish()
    return generation


def _low_and_high(table: Table, key: str) -> tuple[int, int]:
    numbers = table.integers(key)
    match numbers:
        case (low, high) if 0 <= low <= high:
            return low, high
        case _:
            raise table.error(key, f"must be two numbers, the low one first, not {list(numbers)}")
