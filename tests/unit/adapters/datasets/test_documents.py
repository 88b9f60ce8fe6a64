"""Archives and folders of texts, and comma-separated rows."""

import zipfile
from pathlib import Path

import pytest

from assay.adapters.datasets import documents
from assay.adapters.datasets.files import tables_at
from assay.adapters.datasets.formats import rows_of
from assay.domain.benchmark import DataFile, Source
from assay.domain.errors import BadRowError, DataMissingError

SOURCE = Source(
    "assay/texts",
    "0" * 40,
    (DataFile("rows.csv", "test"), DataFile("extracted/texts.zip", "documents")),
    local_names={"documents": ("texts",)},
)


def archive(folder: Path, members: dict[str, bytes], name: str = "texts.zip") -> Path:
    path = folder / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for member, content in members.items():
            made.writestr(member, content)
    return path


def test_the_texts_of_an_archive_come_under_their_paths(tmp_path: Path) -> None:
    path = archive(tmp_path, {"lcr/a/é.txt": b"one\r\ntwo\rthree\n", "lcr/": b"", "x.pdf": b"%"})
    assert list(rows_of(path)) == [{"path": "lcr/a/é.txt", "text": "one\ntwo\nthree\n"}]


def test_names_without_the_flag_for_utf8_are_read_as_utf8(tmp_path: Path) -> None:
    path = archive(tmp_path, {"lcr/XX.txt": b"text"})
    path.write_bytes(path.read_bytes().replace(b"lcr/XX.txt", "lcr/é.txt".encode()))
    assert [row["path"] for row in rows_of(path)] == ["lcr/é.txt"]


@pytest.mark.parametrize(
    "name", ["../out.txt", "/etc/out.txt", "a/../../out.txt", "C:/out.txt", "..\\out.txt"]
)
def test_a_path_that_leads_out_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadRowError, match="leads out of it"):
        list(rows_of(archive(tmp_path, {name: b"text"})))


def test_a_text_that_unpacks_beyond_the_limit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = archive(tmp_path, {"a.txt": b"0" * 2_000_000, "b.txt": b"0" * 1_000_000})
    monkeypatch.setattr(documents, "MAX_DOCUMENT_BYTES", 1_500_000)
    with pytest.raises(BadRowError, match=r"'a.txt' is longer than 1 MB"):
        list(rows_of(path))
    monkeypatch.setattr(documents, "MAX_DOCUMENT_BYTES", 3_000_000)
    monkeypatch.setattr(documents, "MAX_TOTAL_BYTES", 2_500_000)
    with pytest.raises(BadRowError, match="together are longer than 2 MB"):
        list(rows_of(path))
    monkeypatch.setattr(documents, "MAX_DOCUMENTS", 1)
    with pytest.raises(BadRowError, match="holds 2 texts; at most 1"):
        list(rows_of(path))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 but no more", b"text"])
def test_a_damaged_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "texts.zip"
    path.write_bytes(content)
    with pytest.raises(BadRowError, match="cannot be read"):
        list(rows_of(path))


def test_an_unpacked_archive_gives_the_same_texts_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("id\n1\n")
    unpacked = tmp_path / "texts" / "lcr"
    unpacked.mkdir(parents=True)
    (unpacked / "a.txt").write_text("one")
    (tmp_path / "secret.txt").write_text("secret")
    (unpacked / "link.txt").symlink_to(tmp_path / "secret.txt")
    tables = tables_at(
        tmp_path,
        Source(
            SOURCE.repository,
            SOURCE.revision,
            SOURCE.files,
            local_names={"test": ("rows",), "documents": ("texts",)},
        ),
    )
    assert list(tables.rows("documents")) == [{"path": "texts/lcr/a.txt", "text": "one"}]
    assert [path.name for path in tables.all_files] == ["rows.csv", "a.txt"]


def test_an_empty_folder_of_texts_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataMissingError, match="holds no text files"):
        list(documents.document_rows(tmp_path))


def test_rows_of_csv_are_texts_by_column(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(b'\xef\xbb\xbf,id,text\r\n0,1,"a, ""b""\nc"\r\n\r\n1,2,\r\n')
    assert list(rows_of(path)) == [
        {"": "0", "id": "1", "text": 'a, "b"\nc'},
        {"": "1", "id": "2", "text": ""},
    ]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"a,b\n1\n", r"line 2: 1 value under 2 columns"),
        (b'a\n"1\n', "not valid CSV"),
        (b"a\n\xff\n", "not UTF-8"),
    ],
)
def test_a_faulty_line_of_csv_is_named(tmp_path: Path, content: bytes, fault: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(content)
    with pytest.raises(BadRowError, match=fault):
        list(rows_of(path))
