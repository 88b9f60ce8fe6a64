"""What comes of a file of lines: read, refused with reasons, or stored whole."""

import json
import os
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.datasets import line_check
from assay.adapters.datasets.dataset_files import FolderDatasetFiles
from assay.adapters.datasets.line_index import SeenIds
from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Json
from assay.domain.dataset_report import Grading, Report
from assay.domain.errors import BadDatasetError, DataMissingError, GraderError, UnknownNameError
from assay.engine.datasets.files import FieldNames
from assay.engine.graders.rules.expected import expectation_fault

MESSAGES: Json = [{"role": "user", "content": "Hello"}]


@pytest.fixture
def files(tmp_path: Path) -> FolderDatasetFiles:
    return FolderDatasetFiles(tmp_path)


def batch_line(custom_id: str = "a", **changes: Json) -> dict[str, Json]:
    request = {"method": "POST", "url": "/v1/chat/completions", "body": {"model": "m", "messages": MESSAGES}}
    return {"custom_id": custom_id, **request, **changes}


def jsonl(*lines: dict[str, Json]) -> bytes:
    return b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines)


def checked(files: FolderDatasetFiles, content: bytes, grading: Grading = Grading.EXACT) -> Report:
    incoming = files.new()
    try:
        incoming.write(content)
        report = incoming.check(grading, expectation_fault)
        if not report.error_count:
            incoming.keep()
        return report
    finally:
        incoming.close()


def test_lines_of_every_form_come_back_by_their_ids(files: FolderDatasetFiles) -> None:
    report = checked(
        files,
        jsonl(
            batch_line("b", expected="x", grader="contains"),
            {"custom_id": "c/\U0001f30d", "body": {"messages": MESSAGES, "temperature": 0.5}},
            {"prompt": "Hi", "system": "Be brief.", "expected": 4, "category": "sums"},
        ),
        Grading.NUMBER,
    )
    assert (report.count, report.error_count, report.warnings) == (3, 0, ())
    assert report.graders == {Grading.CONTAINS: 1, Grading.NUMBER: 1}
    assert report.models == ("m",)
    assert [one.custom_id for one in report.previews] == ["b", "c/\U0001f30d", "line-3"]
    lines = files.open(report.sha256)
    assert lines.ids() == ["b", "c/\U0001f30d", "line-3"]
    assert lines.categories(lines.ids()) == {"line-3": "sums"}
    bodies = [lines.line(item_id, grading=Grading.NUMBER).body for item_id in lines.ids()]
    assert bodies[1] == {"messages": MESSAGES, "temperature": 0.5}
    last = lines.line(ItemId("line-3"), grading=Grading.NUMBER)
    assert (last.expected, last.grading, last.category) == (4, Grading.NUMBER, "sums")
    assert last.body == {
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
    }
    with pytest.raises(UnknownNameError):
        lines.line(ItemId("d"), grading=Grading.EXACT)


@pytest.mark.parametrize(
    ("content", "line", "field", "reason"),
    [
        (b"", 0, "file", "the file is empty"),
        (b"\n \n", 0, "file", "the file is empty"),
        (b"%PDF-1.7\n%\xe2\xe3", 0, "file", "this is a PDF document"),
        (b"PK\x03\x04\x14\x00", 0, "file", "this is a ZIP archive"),
        (b"\x1f\x8b\x08", 0, "file", "this is a gzip archive"),
        ('{"prompt": "x"}'.encode("utf-16"), 0, "file", "UTF-16"),
        (b'[{"prompt": "x"}]', 0, "file", "one JSON array"),
        (b"\x00\x01\x02", 0, "file", "not text"),
        (b'{"prompt": "x"}\n{"prompt": ', 2, "line", "is not JSON"),
        (b'{"prompt": "caf\xe9"}', 1, "line", "byte 16 is not UTF-8"),
        (b'"text"', 1, "line", "a JSON object was expected, not text"),
        (b"{}", 1, "body", "is missing"),
        (jsonl(batch_line(), batch_line()), 2, "custom_id", "'a' is on line 1 already"),
        (jsonl({"prompt": "x"}, {"prompt": "y", "custom_id": "line-1"}), 2, "custom_id", "line 1 already"),
        (jsonl(batch_line(method="GET")), 1, "method", "must be 'POST', not 'GET'"),
        (jsonl(batch_line(url="/v1/embeddings")), 1, "url", "must be '/v1/chat/completions'"),
        (jsonl(batch_line(body={"model": "m"})), 1, "body.messages", "is missing"),
        (jsonl(batch_line(body={"messages": []})), 1, "body.messages", "is empty"),
        (jsonl(batch_line(body={"messages": ["hi"]})), 1, "body.messages.0", "must be an object, not text"),
        (jsonl(batch_line(body={"messages": [{"role": "k"}]})), 1, "body.messages.0.role", "must be one of"),
        (jsonl(batch_line(body={"messages": [{"role": "user"}]})), 1, "body.messages.0.content", "must be"),
        (jsonl(batch_line(body="x")), 1, "body", "must be an object, not text"),
        (jsonl(batch_line(body={"messages": MESSAGES, "n": 2})), 1, "body.n", "must be 1"),
        (jsonl({"body": {"messages": MESSAGES}}), 1, "custom_id", "is missing"),
        (jsonl({"custom_id": 7, "body": {"messages": MESSAGES}}), 1, "custom_id", "must be text"),
        (jsonl({"custom_id": "", "body": {"messages": MESSAGES}}), 1, "custom_id", "1 to 512 characters"),
        (jsonl({"prompt": 5}), 1, "prompt", "must be text, not a number"),
        (jsonl({"prompt": " "}), 1, "prompt", "is empty"),
        (jsonl({"prompt": "x", "expected": "("}), 1, "expected", "is not a pattern"),
        (jsonl({"prompt": "x", "expected": "y", "grader": "vibes"}), 1, "grader", "must be one of"),
        (jsonl({"prompt": "x", "category": 5}), 1, "category", "must be text"),
        (b'{"prompt": "' + b"x" * (17 * 1024**2) + b'"}\n{"prompt": 5}', 1, "line", "is longer than 16 MiB"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line_and_nothing_is_stored(
    files: FolderDatasetFiles, tmp_path: Path, content: bytes, line: int, field: str, reason: str
) -> None:
    report = checked(files, content, Grading.REGEX)
    first = report.errors[0]
    assert (first.line, first.field) == (line, field)
    assert reason in first.reason
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_reading_stops_at_a_rule_that_cannot_be_checked_in_time(files: FolderDatasetFiles) -> None:
    def fault_of(_grading: Grading, expected: Json) -> str | None:
        if expected == "slow":
            raise GraderError("it took more than 10 s")
        return None

    incoming = files.new()
    try:
        for expected in ("quick", "slow", "slow"):
            incoming.write(jsonl({"prompt": "x", "expected": expected}))
        report = incoming.check(Grading.REGEX, fault_of)
    finally:
        incoming.close()
    [fault] = report.errors
    assert (fault.line, fault.field) == (2, "expected")
    assert "took more than 10 s" in fault.reason


def test_files_of_too_many_lines_or_names_are_refused_as_they_are_read(
    files: FolderDatasetFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_check, "MAX_LINES", 1_000)
    report = checked(files, b"\n" * 3_000_000)
    assert [(fault.line, fault.field) for fault in report.errors] == [(1_001, "file")]
    assert "more than 1,000 lines" in report.errors[0].reason
    monkeypatch.setattr(line_check, "MAX_NAMES_BYTES", 10_000)
    lines = [batch_line(f"{number:0500}", category=f"{number:0500}") for number in range(20)]
    [fault] = checked(files, jsonl(*lines)).errors
    assert (fault.line, fault.field) == (11, "file")


def test_the_kinds_of_warnings_have_a_limit(files: FolderDatasetFiles) -> None:
    content = b"".join(jsonl({"prompt": "x", f"field-{number}": 1}) for number in range(300))
    report = checked(files, content)
    assert report.warning_count == 51
    assert "further oddities like these (250 lines)" in report.warnings[-1].reason


def mapped(files: FolderDatasetFiles, content: bytes, names: FieldNames, *, is_csv: bool) -> list[Json]:
    incoming = files.new()
    try:
        incoming.write(content)
        incoming.map_fields(names, is_csv=is_csv)
        report = incoming.check(Grading.EXACT, expectation_fault)
        assert report.errors == ()
        incoming.keep()
        return [json.loads(line) for line in b"".join(files.content(report.sha256)).splitlines()]
    finally:
        incoming.close()


def test_tables_and_other_field_names_become_lines(files: FolderDatasetFiles) -> None:
    names = FieldNames("question", "answer")
    table = b'\xef\xbb\xbfquestion,answer,category\r\n"2, 2\nand?",4,sums\r\n\r\n3?,,\r\n'
    assert mapped(files, table, names, is_csv=True) == [
        {"prompt": "2, 2\nand?", "expected": "4", "category": "sums"}, {"prompt": "3?"},
    ]  # fmt: skip
    lines = jsonl({"question": "x", "answer": 4, "custom_id": "a"}, {"question": "y", "answer": None})
    assert mapped(files, lines, names, is_csv=False) == [
        {"prompt": "x", "expected": 4, "custom_id": "a"}, {"prompt": "y", "expected": None},
    ]  # fmt: skip
    assert mapped(files, b"prompt,expected\nx,1\n", FieldNames(), is_csv=True) == [
        {"prompt": "x", "expected": "1"}
    ]


CSV, JSON_LINES = {"is_csv": True}, {"is_csv": False}


@pytest.mark.parametrize(
    ("content", "names", "form", "reason"),
    [
        (b"question,answer\n1,2\n", FieldNames(), CSV, "line 1, prompt: .*one of 'question', 'answer'"),
        (b"question,answer\n1,2\n", FieldNames("question", "reply"), CSV, "line 1, reply: there is no such"),
        (b'{"a": 1}\n{"b": 2}\n', FieldNames("a"), JSON_LINES, "line 2, a: there is no such field.*'b'"),
        (b"", FieldNames(), CSV, "no such field"),
        (b"prompt\nx,y\n", FieldNames(), CSV, "line 2, line: has 2 values under 1 column$"),
        (b'prompt\n"x', FieldNames(), CSV, "is not valid CSV"),
        (b"prompt\ncaf\xe9\n", FieldNames(), CSV, "line 2, line: byte 4 is not UTF-8"),
        (b"prompt\n" + b"x" * (17 * 1024**2), FieldNames(), CSV, "longer than 16 MiB"),
        (b"prompt\n" + b'"\n%b",' % (b"x" * 1000) * 17_000, FieldNames(), CSV, "longer than 16 MiB"),
        (b"prompt\n" + b'"\nx",' * 600_000, FieldNames(), CSV, "has more than 500,000 values"),
        (b"prompt" + b",a" * 600_000, FieldNames(), CSV, "line 1, line: has more than 500,000 values"),
    ],
)  # fmt: skip
def test_fields_that_are_missing_are_told_with_those_that_are_there(
    files: FolderDatasetFiles, content: bytes, names: FieldNames, form: dict[str, bool], reason: str
) -> None:
    with pytest.raises(BadDatasetError, match=reason):
        mapped(files, content, names, **form)


def test_a_line_of_very_many_values_is_refused_and_not_parsed(files: FolderDatasetFiles) -> None:
    """Half a gigabyte of memory would be needed for sixteen megabytes."""
    wide = b'{"question": "x", "metadata": [' + b"[]," * 600_000 + b"[]]}\n"
    incoming = files.new()
    try:
        incoming.write(wide)
        incoming.map_fields(FieldNames("question"), is_csv=False)
        report = incoming.check(Grading.EXACT, expectation_fault)
    finally:
        incoming.close()
    assert [one.reason for one in report.errors] == ["has more than 500,000 values"]


def test_all_faults_are_counted_and_a_hundred_told(files: FolderDatasetFiles) -> None:
    report = checked(files, b"nonsense\n" * 250)
    assert (report.error_count, len(report.errors)) == (250, 100)


def test_what_follows_a_line_that_is_too_long_is_read_at_its_place(files: FolderDatasetFiles) -> None:
    report = checked(files, b"x" * (16 * 1024**2 + 5) + b"\n" + b'{"prompt": 5}\n')
    assert [(fault.line, fault.field) for fault in report.errors] == [(1, "line"), (2, "prompt")]


def test_oddities_are_read_and_told_once_each(files: FolderDatasetFiles) -> None:
    content = b'\xef\xbb\xbf{"prompt": "one"}\r\n\r\n  \n{"prompt": "two", "expcted": 1}\r\n'
    report = checked(files, content)
    assert report.count == 2
    said = " ".join(warning.reason for warning in report.warnings)
    for oddity in ("byte order mark", "carriage return", "blank lines", "'expcted' is not known"):
        assert oddity in said
    assert len(report.warnings) == 4
    lines = files.open(report.sha256)
    assert lines.ids() == ["line-1", "line-4"]
    assert lines.line(ItemId("line-4"), grading=Grading.EXACT).body == {
        "messages": [{"role": "user", "content": "two"}]
    }


def test_the_same_content_is_stored_once_and_can_be_had_and_removed(
    files: FolderDatasetFiles, tmp_path: Path
) -> None:
    content = jsonl(batch_line())
    assert checked(files, content).sha256 == checked(files, content).sha256
    sha256 = checked(files, content).sha256
    assert len(list(tmp_path.rglob("*.jsonl"))) == 1
    assert b"".join(files.content(sha256)) == content
    files.remove(sha256)
    with pytest.raises(DataMissingError, match="add it again"):
        files.open(sha256)


def test_what_a_killed_process_left_is_swept_away(files: FolderDatasetFiles, tmp_path: Path) -> None:
    left = tmp_path / "incoming" / "left"
    left.parent.mkdir()
    left.write_text("half a fi")
    files.new().close()
    assert left.exists()
    os.utime(left, (0, 0))
    files.new().close()
    assert not left.exists()


@given(st.lists(st.text(max_size=4)))
def test_ids_are_known_by_the_line_they_were_first_seen_on(ids: list[str]) -> None:
    seen, lines = SeenIds(), dict[str, int]()
    for number, item_id in enumerate(ids, start=1):
        assert seen.add(item_id, number) == lines.get(item_id)
        lines.setdefault(item_id, number)


def test_thousands_of_ids_keep_apart() -> None:
    seen = SeenIds()
    assert all(seen.add(f"id-{number}", number + 1) is None for number in range(5_000))
    assert all(seen.add(f"id-{number}", 9_999) == number + 1 for number in range(5_000))


def test_a_large_file_is_read_at_constant_memory(files: FolderDatasetFiles) -> None:
    incoming = files.new()
    try:
        for number in range(2_000):
            incoming.write(jsonl(batch_line(f"id-{number}", metadata={"filler": "x" * 8_000})))
        tracemalloc.start()
        report = incoming.check(Grading.EXACT, expectation_fault)
        _now, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        incoming.close()
    assert (report.count, report.error_count) == (2_000, 0)
    # The file has 16 MB.
    assert peak_bytes < 3_000_000
