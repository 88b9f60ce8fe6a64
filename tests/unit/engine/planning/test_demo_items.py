"""Reading the demo items of a benchmark."""

from pathlib import Path

import pytest

from assay.domain.errors import BadRowError, DataMissingError
from assay.engine.planning.demo_items import DemoTables


def test_rows_by_split(tmp_path: Path) -> None:
    (tmp_path / "demo.jsonl").write_text('{"a": "x\u2028y"}\n\n{"a": 2}\n', encoding="utf-8")
    tables = DemoTables(tmp_path, {"test": "demo.jsonl"})
    assert list(tables.rows("test")) == [{"a": "x\u2028y"}, {"a": 2}]
    with pytest.raises(DataMissingError, match="no split 'dev'; they have test"):
        tables.rows("dev")


@pytest.mark.parametrize("line", ["{", "[1]"])
def test_a_bad_line_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "demo.jsonl").write_text('{"a": 1}\n' + line)
    with pytest.raises(BadRowError, match=r"demo\.jsonl, line 2"):
        list(DemoTables(tmp_path, {"test": "demo.jsonl"}).rows("test"))
