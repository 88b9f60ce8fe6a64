"""Files with benchmarks: what is run, what is hashed, and where a fault is."""

from pathlib import Path

import pytest

from assay.adapters.datasets.row_reader import FileRowReader
from assay.adapters.one_file.loading import LocalBenchmarkFiles
from assay.domain.errors import BadRowError, DataMissingError, InvalidValueError

FILE = """
import assay
from parts import PROMPT

@assay.benchmark(rows="rows.csv", prompt=PROMPT, expected="b", grader="exact")
def one():
    pass

other = one
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bench.py").write_text(FILE)
    (tmp_path / "parts.py").write_text("PROMPT = '{a}'\n")
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    return tmp_path


def files() -> LocalBenchmarkFiles:
    return LocalBenchmarkFiles(FileRowReader())


def sha256(folder: Path) -> str:
    return files().load(str(folder / "bench.py")).file.sha256


def test_a_file_and_the_modules_beside_it_are_its_content(folder: Path) -> None:
    loaded = files().load(str(folder / "bench.py"))
    assert [one.card.name for one in loaded.benchmarks] == ["file:one"]
    assert loaded.file.path == str(folder / "bench.py")
    first = sha256(folder)
    assert first == loaded.file.sha256
    (folder / "unused.py").write_text("1")
    (folder / "rows.csv").write_text("a,b\n1,3\n")
    assert sha256(folder) == first
    (folder / "parts.py").write_text("PROMPT = 'What is {a}?'\n")
    assert sha256(folder) != first
    (folder / "parts.py").write_text("PROMPT = '{a}'\n")
    assert sha256(folder) == first
    (folder / "bench.py").write_text(FILE + "# a remark\n")
    assert sha256(folder) != first


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("x = 1\n", "declares no benchmark"),
        ("x = 1\nprint(y)\n", "line 2: the file cannot be loaded: NameError"),
        ("def f(:\n", "line 1: the file cannot be loaded: SyntaxError"),
        ("import sys\nsys.exit(3)\n", "line 2: the file cannot be loaded: SystemExit: 3"),
        (
            "import assay\n\n@assay.benchmark(rows=[], prompt='')\ndef one():\n    pass\n",
            "line 3: 'one' has no grader",
        ),
        (
            FILE + "\nagain = assay.benchmark(rows=[], prompt='', name='one')(lambda row: True)\n",
            "more than once",
        ),
    ],
)
def test_a_file_that_cannot_be_used_says_where(folder: Path, source: str, fault: str) -> None:
    (folder / "bad.py").write_text(source)
    with pytest.raises(InvalidValueError) as raised:
        files().load(str(folder / "bad.py"))
    assert str(folder / "bad.py") in raised.value.message
    assert fault in raised.value.message


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidValueError, match=r"'none\.py' cannot be read: No such file"):
        files().load("none.py")


def test_rows_come_from_files_of_several_formats(tmp_path: Path) -> None:
    reader = FileRowReader()
    (tmp_path / "rows.json").write_text('[{"a": 1}, {"a": 2}]')
    (tmp_path / "rows.jsonl").write_text('{"a": 1}\n\n{"a": 2}\n')
    (tmp_path / "rows.csv").write_text("a\n1\n2\n")
    for name, wanted in (("json", [1, 2]), ("jsonl", [1, 2]), ("csv", ["1", "2"])):
        found = reader.of_file(f"rows.{name}", folder=str(tmp_path))
        assert [row["a"] for row in found.rows] == wanted
        assert found.revision == f"rows.{name}"
    (tmp_path / "rows.json").write_text("[1]")
    with pytest.raises(BadRowError, match="line 1: a JSON object was expected, not int"):
        reader.of_file("rows.json", folder=str(tmp_path))
    (tmp_path / "rows.json").write_text('[{"a": 1},\n{]')
    with pytest.raises(BadRowError, match="line 2: not valid JSON"):
        reader.of_file("rows.json", folder=str(tmp_path))
    with pytest.raises(DataMissingError, match="no file"):
        reader.of_file("none.csv", folder=str(tmp_path))
    (tmp_path / "rows.xlsx").write_text("")
    with pytest.raises(InvalidValueError, match="unknown format"):
        reader.of_file("rows.xlsx", folder=str(tmp_path))
