"""Which files of a repository are a split."""

import pytest

from assay.adapters.datasets.hub_layout import split_files
from assay.domain.errors import DataMissingError, InvalidValueError
from assay.engine.one_file.files import HubSplit

README = """---
license: mit
configs:
- config_name: main
  default: true
  data_files:
  - split: train
    path: main/train-*
  - split: test
    path:
    - main/test-00000-of-00002.parquet
    - main/test-00001-of-00002.parquet
- config_name: socratic
  data_files: "socratic/**/*.jsonl"
---
# A data set
"""
FILES = [
    "README.md",
    "main/train-00000-of-00001.parquet",
    "main/test-00001-of-00002.parquet",
    "main/test-00000-of-00002.parquet",
    "socratic/a/b.jsonl",
    "socratic/c.jsonl",
]


def files(listed: list[str], split: str, config: str | None = None, readme: str = "") -> tuple[str, ...]:
    return split_files(listed, readme, HubSplit("org/name", split, config))


def test_the_readme_says_which_files_a_split_has() -> None:
    tests = ("main/test-00000-of-00002.parquet", "main/test-00001-of-00002.parquet")
    assert files(FILES, "test", "main", README) == tests
    assert files(FILES, "test", None, README) == tests
    assert files(FILES, "train", "main", README) == ("main/train-00000-of-00001.parquet",)
    assert files(FILES, "train", "socratic", README) == ("socratic/a/b.jsonl", "socratic/c.jsonl")


@pytest.mark.parametrize(
    ("listed", "split", "config", "found"),
    [
        (["data/train-00000-of-00001.parquet", "data/test-00000-of-00001.parquet"], "test", None, 1),
        (["test.jsonl", "latest.jsonl", "contest.csv"], "test", None, 0),
        (["dev.jsonl", "train.jsonl"], "validation", None, 0),
        (["a/test.csv", "b/test.csv"], "test", "b", 1),
        (["test/0.jsonl", "test/1.jsonl", "train/0.jsonl"], "test", None, (0, 1)),
        (["rows.csv"], "train", None, 0),
        (["hard.jsonl", "easy.jsonl"], "hard", None, 0),
        (["test.jsonl", "test.parquet"], "test", None, 1),
    ],
)
def test_names_say_it_where_the_readme_does_not(
    listed: list[str], split: str, config: str | None, found: int | tuple[int, ...]
) -> None:
    places = found if isinstance(found, tuple) else (found,)
    assert files(listed, split, config) == tuple(listed[place] for place in places)


@pytest.mark.parametrize(
    ("listed", "split", "config", "readme", "fault"),
    [
        (FILES, "validation", None, README, r"\(main\) has no split 'validation': name one of train, test"),
        (FILES, "test", "other", README, "no configuration 'other': name one of main, socratic"),
        (FILES, "test", None, README.replace("  default: true\n", ""), "several configurations, and none is"),
        (["a/test.csv"], "test", "b", "", "no configuration 'b': it has the folders a"),
    ],
)
def test_what_there_is_not_is_named(
    listed: list[str], split: str, config: str | None, readme: str, fault: str
) -> None:
    with pytest.raises(InvalidValueError, match=fault):
        files(listed, split, config, readme)


@pytest.mark.parametrize("listed", [["name.py"], ["train.jsonl"], ["../test.jsonl"], ["/test.jsonl"]])
def test_a_split_without_a_file_that_can_be_read(listed: list[str]) -> None:
    with pytest.raises(DataMissingError, match="no file for the split 'test' that can be read; it has"):
        files(listed, "test")


@pytest.mark.parametrize("front", [": [", "- a", "configs: 3", ""])
def test_a_readme_that_says_nothing_is_read_over(front: str) -> None:
    assert files(["test.jsonl"], "test", None, f"---\n{front}\n---\n# Name\n") == ("test.jsonl",)
