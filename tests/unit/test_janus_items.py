"""The files of Janus tasks are what their scripts write."""

from functools import cache
from pathlib import Path

from scripts.janus_items import files


@cache
def written() -> dict[str, str]:
    return files.all_files()


def test_the_scripts_write_the_committed_files_byte_for_byte() -> None:
    assert {name: Path(files.DATA, name).read_text(encoding="utf-8") for name in written()} == written()


def test_the_files_stay_small() -> None:
    assert sum(map(len, written().values())) < 1_000_000
