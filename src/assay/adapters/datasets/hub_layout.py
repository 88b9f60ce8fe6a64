"""Which files of a repository on the hub hold a split: as its README says, else by their names."""

import fnmatch
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

import yaml

from assay.adapters.datasets.formats import CSV, JSON_LINES, PARQUET, format_of
from assay.domain.errors import DataMissingError, InvalidValueError
from assay.engine.one_file.files import HubSplit

_FRONT = re.compile(r"\A---\s*\n(?P<yaml>.*?)\n---\s*$", re.DOTALL | re.MULTILINE)
_DEFAULT = "default"
# What a file without the name of a split holds.
_ONLY = "train"
_ALIASES: Mapping[str, tuple[str, ...]] = {
    "train": ("train", "training"),
    "validation": ("validation", "valid", "val", "dev"),
    "test": ("test", "testing", "eval", "evaluation"),
}
_FORMATS = (PARQUET, *JSON_LINES, CSV)
_LISTED = 20


def split_files(files: Sequence[str], readme: str, wanted: HubSplit) -> tuple[str, ...]:
    """The paths of the split, in order; raises UsageError that names what there is."""
    data = sorted(path for path in files if _is_data(path))
    configs = _configs(readme)
    if configs:
        patterns = _of_config(configs, wanted)
        found = [path for path in data if any(_matches(path, pattern) for pattern in patterns)]
    else:
        found = _by_name(data, wanted)
    if not found:
        listed = ", ".join(data[:_LISTED]) + (", …" if len(data) > _LISTED else "")
        raise DataMissingError(
            f"{wanted.repository} has no file for the split {wanted.split!r} that can be read; it has"
            f" {listed or 'no JSON lines, Parquet or CSV'}"
        )
    # The same rows may be there in several formats.
    kind = min((_kind(path) for path in found), key=_FORMATS.index)
    return tuple(path for path in found if _kind(path) == kind)


def _is_data(path: str) -> bool:
    parts = path.split("/")
    is_inside = not path.startswith("/") and ".." not in parts and "\\" not in path
    return is_inside and _kind(path) in _FORMATS and not any(part.startswith(".") for part in parts)


def _kind(path: str) -> str:
    return format_of(Path(path)) or ""


Config = Mapping[str, object]


def _configs(readme: str) -> Mapping[str, Config]:
    front = _FRONT.match(readme)
    if front is None:
        return {}
    try:
        content: object = yaml.safe_load(front["yaml"])
    except (yaml.YAMLError, RecursionError):
        return {}
    listed = cast("Mapping[str, object]", content).get("configs") if isinstance(content, Mapping) else None
    found: dict[str, Config] = {}
    for one in cast("list[object]", listed) if isinstance(listed, list) else []:
        config: Config = cast("Config", one) if isinstance(one, Mapping) else dict[str, object]()
        if config.get("data_files"):
            found[str(config.get("config_name", _DEFAULT))] = config
    return found


def _of_config(configs: Mapping[str, Config], wanted: HubSplit) -> list[str]:
    name = wanted.config or next((name for name, one in configs.items() if one.get("default")), None)
    if name is None:
        name = _DEFAULT if _DEFAULT in configs else next(iter(configs)) if len(configs) == 1 else None
    if name is None or name not in configs:
        known = ", ".join(list(configs)[:_LISTED])
        asked = f"no configuration {name!r}" if name else "several configurations, and none is named"
        raise InvalidValueError(f"{wanted.repository} has {asked}: name one of {known}")
    by_split = dict(_splits(configs[name]))
    if wanted.split not in by_split:
        raise InvalidValueError(
            f"{wanted.repository} ({name}) has no split {wanted.split!r}: name one of {', '.join(by_split)}"
        )
    return by_split[wanted.split]


def _splits(config: Config) -> Iterator[tuple[str, list[str]]]:
    given = config["data_files"]
    entries = cast("list[object]", given) if isinstance(given, list) else [given]
    for entry in entries:
        if isinstance(entry, Mapping):
            split = cast("Mapping[str, object]", entry)
            yield str(split.get("split", _ONLY)), _texts(split.get("path"))
        else:
            yield _ONLY, _texts(entries)
            return


def _texts(value: object) -> list[str]:
    members = cast("list[object]", value) if isinstance(value, list) else [value]
    return [one for one in members if isinstance(one, str)]


def _matches(path: str, pattern: str) -> bool:
    """As file names are matched; ** stands for any folders."""
    pattern = pattern.removeprefix("./")
    if "**" in pattern:
        return fnmatch.fnmatchcase(path, pattern) or fnmatch.fnmatchcase(path, pattern.replace("**/", ""))
    same_depth = path.count("/") == pattern.count("/")
    return path == pattern or (same_depth and fnmatch.fnmatchcase(path, pattern))


def _by_name(data: Sequence[str], wanted: HubSplit) -> list[str]:
    inside = [path for path in data if wanted.config is None or path.startswith(f"{wanted.config}/")]
    if wanted.config is not None and not inside:
        folders = sorted({path.partition("/")[0] for path in data if "/" in path})
        raise InvalidValueError(
            f"{wanted.repository} has no configuration {wanted.config!r}:"
            f" it has the folders {', '.join(folders) or 'none'}"
        )
    by_split = {
        name: [path for path in inside if _names(path, aliases)] for name, aliases in _ALIASES.items()
    }
    if wanted.split in by_split:
        if not any(by_split.values()) and wanted.split == _ONLY:
            return inside
        return by_split[wanted.split]
    return [path for path in inside if _names(path, (wanted.split,))]


def _names(path: str, splits: Sequence[str]) -> bool:
    """Whether a part of the path is a split's name."""
    return any(
        re.search(rf"(?:^|[/._ -]){re.escape(split)}(?:[/._ -]|$)", path, re.IGNORECASE) for split in splits
    )
