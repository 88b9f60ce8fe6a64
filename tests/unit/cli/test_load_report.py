"""What `assay load` prints."""

import pytest

from assay.cli.output.load_report import level_line, print_load_test
from tests.load_tests import level, load_test


def printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int) -> str:
    monkeypatch.setenv("COLUMNS", str(columns))
    print_load_test(load_test())
    return capsys.readouterr().out


@pytest.mark.parametrize("columns", [80, 140])
def test_a_load_test_fits_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    text = printed(capsys, monkeypatch, columns)
    assert max(map(len, text.splitlines())) <= columns
    for header in ("REQ/S", "TOKENS/S", "STALLED", "GOOD/S", "TTFT p99", "ITL p99", "E2E p99", "LATE p99"):
        assert header in text
    assert ("SENT TTFT p99" in text) == (columns == 140)


def test_a_load_that_may_be_distorted_is_marked_with_the_reason(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = printed(capsys, monkeypatch, 140).splitlines()
    assert [line.split()[0] for line in lines if " ! " in line] == ["8", "8"]
    assert "  8: it held back 2 requests, as too many were unanswered" in lines
    assert "failed at 2: 2 rate-limited" in lines
    assert "coordinated" not in lines[0]
    assert any(line.startswith("Open loop: ") for line in lines)


def test_a_level_that_has_ended_is_one_line() -> None:
    assert level_line(level(4), "open") == "4 requests/s: 60 answered, 2 failed, TTFT p50 160 ms"
    assert level_line(level(1), "closed").startswith("1 client: 60 answered")
