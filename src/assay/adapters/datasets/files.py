"""Data files on this machine, matched to the splits of a benchmark."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from assay.adapters.datasets.documents import ARCHIVE, document_files
from assay.adapters.datasets.formats import JSON_LINES, PARQUET, format_of, rows_of
from assay.domain.benchmark import Row, Source
from assay.domain.errors import DataMissingError, InvalidValueError

_SHARD = re.compile(r"-(?P<index>\d+)-of-(?P<total>\d+)$")
_LISTED = 20


@dataclass(frozen=True, slots=True)
class FileTables:
    """Rows read from files; `missing` has a message for each split without a file."""

    files: Mapping[str, tuple[Path, ...]]
    missing: Mapping[str, str] = field(default_factory=dict[str, str])

    def rows(self, split: str) -> Iterator[Row]:
        if split not in self.files:
            raise DataMissingError(self.missing.get(split, f"the data has no split {split!r}"))
        return chain.from_iterable(map(rows_of, self.files[split]))

    @property
    def all_files(self) -> tuple[Path, ...]:
        """Every file, in the order of the splits, then of the names."""
        paths = chain.from_iterable(self.files.values())
        return tuple(chain.from_iterable(document_files(path) for path in paths))


def splits_of(source: Source) -> tuple[str, ...]:
    """The splits in the card's order; the first is the one whose rows are the items."""
    return tuple(dict.fromkeys(file.split for file in source.files))


def tables_at(path: Path, source: Source) -> FileTables:
    """The tables in a file or folder that a user named."""
    if path.is_dir():
        return _in_folder(path, source)
    if not path.is_file():
        renamed = (
            ": the items that ship with a benchmark are now --data demo" if path.name == "samples" else ""
        )
        raise DataMissingError(
            f"no file or folder {str(path)!r}{renamed}; --data takes 'official', 'demo' or a path"
        )
    if format_of(path) is None:
        known = ", ".join((*JSON_LINES, PARQUET))
        raise InvalidValueError(f"{path.name!r} has an unknown format; the name must end in one of {known}")
    main, *others = splits_of(source)
    missing = {
        split: f"{path.name!r} holds the split {main!r} alone and {split!r} is needed too;"
        f" name a folder that has both, the other as {_fitting(source, split)}"
        for split in others
    }
    return FileTables({main: (path,)}, missing)


def _in_folder(folder: Path, source: Source) -> FileTables:
    splits = splits_of(source)
    named = _matched_by_name(folder, source)
    files: dict[str, tuple[Path, ...]] = {}
    for split in splits:
        official = tuple(folder / file.path for file in source.files if file.split == split)
        found = official if all(path.is_file() for path in official) else tuple(named.get(split, ()))
        if found:
            files[split] = _checked(split, found)
    missing = {split: _not_found(folder, source, split) for split in splits if split not in files}
    if splits[0] in missing:
        raise DataMissingError(missing[splits[0]])
    return FileTables(files, missing)


def _matched_by_name(folder: Path, source: Source) -> Mapping[str, list[Path]]:
    matched: defaultdict[str, list[Path]] = defaultdict(list)
    starts = {start: split for split in splits_of(source) for start in _starts(source, split)}
    for path in sorted(folder.iterdir()):
        # The longest start wins: test_hard.jsonl belongs to the split test_hard, not to test.
        fitting = [start for start in starts if path.name.startswith(start)]
        split = starts[max(fitting, key=len)] if fitting else None
        if split is not None and _is_read(path, source, split):
            matched[split].append(path)
    return {split: _archive_or_folder(paths) for split, paths in matched.items()}


def _is_read(path: Path, source: Source, split: str) -> bool:
    """Most splits are JSON lines or Parquet; other formats are read only if the official file has them."""
    official = {format_of(Path(file.path)) for file in source.files if file.split == split}
    # An archive may have been unpacked into a folder.
    kind = format_of(path) if path.is_file() else ARCHIVE
    return kind in {*JSON_LINES, PARQUET} | official - {None}


def _archive_or_folder(paths: list[Path]) -> list[Path]:
    """If both exist, the folder was unpacked from the archive: the archive is read."""
    return [path for path in paths if path.is_file()] or paths


def _checked(split: str, files: tuple[Path, ...]) -> tuple[Path, ...]:
    if len({format_of(path) for path in files}) > 1:
        names = ", ".join(path.name for path in files)
        raise InvalidValueError(f"the split {split!r} exists in several formats ({names}); keep one of them")
    shards = [shard for path in files if (shard := _SHARD.search(_stem(path)))]
    total = int(shards[0]["total"]) if shards else 0
    absent = sorted(set(range(total)) - {int(shard["index"]) for shard in shards})
    if absent:
        parts = f"part {absent[0]} of {total} is missing next to {files[0].name!r}"
        raise DataMissingError(f"the split {split!r} is not complete: {parts}")
    return files


def _stem(path: Path) -> str:
    return path.name[: -len(format_of(path) or "")]


def _starts(source: Source, split: str) -> tuple[str, ...]:
    return (split, *source.local_names.get(split, ()))


def _not_found(folder: Path, source: Source, split: str) -> str:
    names = sorted(path.name for path in folder.iterdir() if path.is_file())
    found = ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")
    return (
        f"{str(folder)!r} has no file for the split {split!r}: found {found or 'no files'};"
        f" {_fitting(source, split)} would fit"
    )


def _fitting(source: Source, split: str) -> str:
    official = next(format_of(Path(file.path)) for file in source.files if file.split == split)
    suffixes = (".jsonl", ".jsonl.gz", ".parquet")
    if official not in {*JSON_LINES, PARQUET, None}:
        suffixes = (official, *suffixes)
    return " or ".join(
        ", ".join(f"{start}*{suffix}" for suffix in suffixes) for start in _starts(source, split)
    )
