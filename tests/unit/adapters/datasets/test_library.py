"""Finding a benchmark's data on this machine."""

import gzip
import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from assay.adapters.datasets.library import FileDataLibrary
from assay.adapters.datasets.locks import LOCK_NAME, Lock, read_lock, write_lock
from assay.domain.benchmark import DataFile
from assay.domain.errors import DataMissingError, InvalidValueError
from assay.domain.json_value import canonical_json
from assay.engine.ports import BenchmarkData, DataLibrary
from tests.unit.adapters.datasets.capitals import SOURCE, Capitals, DemoCapitals, capitals_card


@pytest.fixture
def library(tmp_path: Path) -> DataLibrary:
    return FileDataLibrary(tmp_path / "data", offline=True, hub_cache=tmp_path / "cache")


def lines(*ids: int) -> bytes:
    return b"".join(b'{"id": %d}\n' % number for number in ids)


def write(folder: Path, name: str, content: bytes) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def ids(data: BenchmarkData, split: str) -> list[object]:
    return [row["id"] for row in data.tables.rows(split)]


def test_data_that_was_not_fetched_names_the_two_ways_out(library: DataLibrary) -> None:
    with pytest.raises(DataMissingError) as caught:
        library.open(Capitals(), "official")
    assert "`assay data fetch capitals`" in caught.value.message
    assert "--data demo" in caught.value.message
    assert not library.is_fetched(capitals_card())


def test_a_variant_names_the_data_of_its_benchmark(library: DataLibrary) -> None:
    with pytest.raises(DataMissingError, match="`assay data fetch capitals`"):
        library.open(Capitals(replace(capitals_card(), name="capitals:brief")), "official")


def test_demo_items_come_from_the_benchmark(library: DataLibrary) -> None:
    data = library.open(DemoCapitals(), "demo")
    assert ids(data, "test") == [1, 2]
    assert data.revision == "demo:3"
    expected = b"".join(canonical_json(row) + b"\n" for row in data.tables.rows("test"))
    assert data.checksum == hashlib.sha256(expected).hexdigest()


def test_a_benchmark_without_demo_items_says_so(library: DataLibrary) -> None:
    with pytest.raises(
        DataMissingError, match="'capitals' ships no demo items; run `assay data fetch capitals`"
    ):
        library.open(Capitals(), "demo")


@pytest.mark.parametrize("name", ["test.jsonl", "whatever.jsonl", "rows.json"])
def test_a_single_file_is_the_main_split(library: DataLibrary, tmp_path: Path, name: str) -> None:
    write(tmp_path, name, lines(1, 2))
    data = library.open(Capitals(), str(tmp_path / name))
    assert ids(data, "test") == [1, 2]
    assert data.revision == f"file:{name}"
    assert data.checksum == hashlib.sha256(lines(1, 2)).hexdigest()
    with pytest.raises(
        DataMissingError, match=f"'{name}' holds the split 'test' alone and 'dev' is needed too"
    ):
        data.tables.rows("dev")
    with pytest.raises(DataMissingError, match="the data has no split 'train'"):
        data.tables.rows("train")


def test_the_checksum_is_over_the_bytes_of_the_file(library: DataLibrary, tmp_path: Path) -> None:
    packed = gzip.compress(lines(1))
    write(tmp_path, "rows.jsonl.gz", packed)
    data = library.open(Capitals(), str(tmp_path / "rows.jsonl.gz"))
    assert data.checksum == hashlib.sha256(packed).hexdigest()


@pytest.mark.parametrize(
    ("names", "splits"),
    [
        (("test.jsonl", "dev.jsonl"), {"test": [0], "dev": [1]}),
        (("test_rows.jsonl", "development.json"), {"test": [0], "dev": [1]}),
        (("questions.jsonl", "dev-2024.jsonl"), {"test": [0], "dev": [1]}),
        (("test-00000-of-00002.jsonl", "test-00001-of-00002.jsonl"), {"test": [0, 1]}),
        (("test-1.jsonl", "test-2.jsonl"), {"test": [0, 1]}),
        (("test.jsonl", "README.md"), {"test": [0]}),
        (("test.jsonl", "outputs.jsonl"), {"test": [0]}),
        (("test.jsonl", "test.csv"), {"test": [0]}),
        (("data/test.jsonl", "data/dev.jsonl"), {"test": [0], "dev": [1]}),
        (("data/test.jsonl", "test.jsonl"), {"test": [0]}),
    ],
)
def test_files_of_a_folder_are_matched_by_name(
    library: DataLibrary, tmp_path: Path, names: tuple[str, ...], splits: dict[str, list[int]]
) -> None:
    folder = tmp_path / "mine"
    for number, name in enumerate(names):
        write(folder, name, lines(number))
    data = library.open(Capitals(), str(folder))
    assert {split: ids(data, split) for split in splits} == splits
    assert data.revision == "file:mine"
    contents = b"".join(lines(number) for found in splits.values() for number in found)
    assert data.checksum == hashlib.sha256(contents).hexdigest()


def test_the_longest_name_wins(library: DataLibrary, tmp_path: Path) -> None:
    files = (DataFile("a.jsonl", "test"), DataFile("b.jsonl", "test_hard"))
    benchmark = Capitals(capitals_card(replace(SOURCE, files=files, local_names={})))
    write(tmp_path / "mine", "test_easy.jsonl", lines(1))
    write(tmp_path / "mine", "test_hard.jsonl", lines(2))
    data = library.open(benchmark, str(tmp_path / "mine"))
    assert (ids(data, "test"), ids(data, "test_hard")) == ([1], [2])


def test_a_folder_without_the_main_split_lists_what_is_there(library: DataLibrary, tmp_path: Path) -> None:
    write(tmp_path / "mine", "dev.jsonl", lines(1))
    write(tmp_path / "mine", "notes.txt", b"")
    with pytest.raises(DataMissingError) as caught:
        library.open(Capitals(), str(tmp_path / "mine"))
    message = caught.value.message
    assert "no file for the split 'test': found dev.jsonl, notes.txt" in message
    assert "test*.jsonl" in message
    assert "questions*.parquet" in message


def test_another_split_that_is_missing_is_reported_when_it_is_wanted(
    library: DataLibrary, tmp_path: Path
) -> None:
    write(tmp_path / "mine", "test.jsonl", lines(1))
    data = library.open(Capitals(), str(tmp_path / "mine"))
    with pytest.raises(DataMissingError, match="no file for the split 'dev': found test"):
        data.tables.rows("dev")


def test_an_incomplete_set_of_parts_is_an_error(library: DataLibrary, tmp_path: Path) -> None:
    write(tmp_path / "mine", "test-00001-of-00003.jsonl", lines(1))
    write(tmp_path / "mine", "test-00002-of-00003.jsonl", lines(2))
    with pytest.raises(DataMissingError, match="part 0 of 3 is missing"):
        library.open(Capitals(), str(tmp_path / "mine"))


def test_one_split_in_two_formats_is_an_error(library: DataLibrary, tmp_path: Path) -> None:
    write(tmp_path / "mine", "test.jsonl", lines(1))
    write(tmp_path / "mine", "test.jsonl.gz", gzip.compress(lines(1)))
    with pytest.raises(InvalidValueError, match=r"several formats \(test.jsonl, test.jsonl.gz\)"):
        library.open(Capitals(), str(tmp_path / "mine"))


def test_the_former_name_of_the_demo_items_is_an_error_that_names_them(library: DataLibrary) -> None:
    with pytest.raises(DataMissingError, match=r"no file or folder 'samples': .* are now --data demo"):
        library.open(DemoCapitals(), "samples")


def test_nothing_at_the_path(library: DataLibrary, tmp_path: Path) -> None:
    with pytest.raises(DataMissingError, match=r"no file or folder .*'official', 'demo' or a path"):
        library.open(Capitals(), str(tmp_path / "nowhere.jsonl"))


def test_a_format_that_cannot_be_read(library: DataLibrary, tmp_path: Path) -> None:
    write(tmp_path, "rows.pkl", b"\x80\x04.")
    with pytest.raises(InvalidValueError, match=r"'rows.pkl' has an unknown format.*\.jsonl"):
        library.open(Capitals(), str(tmp_path / "rows.pkl"))


def test_the_lock_is_json_anybody_can_read(tmp_path: Path) -> None:
    lock = Lock("example/capitals", "abc", {"data/test.jsonl": "0" * 64})
    write_lock(tmp_path, lock)
    assert read_lock(tmp_path) == lock
    assert json.loads((tmp_path / LOCK_NAME).read_text())["files"] == {"data/test.jsonl": "0" * 64}
    assert [path.name for path in tmp_path.iterdir()] == [LOCK_NAME]
