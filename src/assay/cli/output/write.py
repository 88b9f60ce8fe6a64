"""Output shared by the commands: JSON for programs, tables and sentences for people."""

import re
import shutil
import sys
import textwrap
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import orjson
import typer

from assay.domain.access.secret import printable, printable_json
from assay.domain.errors import InvalidValueError
from assay.domain.outcome import Outcome, scored_count
from assay.domain.run import Evaluation
from assay.domain.stats import Estimate

# Whoever reads a pipe has no window whose width would matter.
_PIPE_WIDTH = 200
_MIN_FOLDED = 20
_GAP = 2
# On one line stay a number and its percent sign, and a command for a run.
_UNBROKEN = re.compile(r" %|\bassay [a-z]+(?: --run)? [0-9a-f]{8}\b")
_LEAST_SHOWN_USD = Decimal("0.0001")
_MINUTE_S, _HOUR_S, _DAY_S = 60, 3_600, 86_400


def write_json(document: Mapping[str, object] | Sequence[Mapping[str, object]]) -> None:
    sys.stdout.buffer.write(json_bytes(document))
    sys.stdout.flush()


def json_bytes(document: Mapping[str, object] | Sequence[Mapping[str, object]]) -> bytes:
    text = orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()
    return printable_json(text).encode()


def require_writable(path: Path) -> None:
    """Before work whose result goes there; raises InvalidValueError."""
    try:
        path.open("ab").close()
    except OSError as error:
        raise InvalidValueError(f"cannot write {str(path)!r}: {error.strerror}") from error


def write_file(path: Path, content: bytes) -> None:
    """A file that an option names; raises InvalidValueError."""
    try:
        path.write_bytes(content)
    except OSError as error:
        raise InvalidValueError(f"cannot write {str(path)!r}: {error.strerror}") from error


def write_note(text: str, *, indent: str = "", err: bool = False, fg: str | None = None) -> None:
    """One paragraph, wrapped to the width of the terminal; in a pipe it is one line."""
    width = None if err and _is_stderr_redirected() else _terminal_width()
    line = " ".join(printable(text).split())
    if width is None:
        typer.secho(indent + line, err=err, fg=fg)
        return
    wrapped = textwrap.fill(
        _UNBROKEN.sub(lambda found: found[0].replace(" ", "\xa0"), line),
        width,
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_on_hyphens=False,
    )
    typer.secho(wrapped.replace("\xa0", " "), err=err, fg=fg)


def write_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    title: str | None = None,
    folded: Collection[str] | None = None,
    optional: Sequence[str] = (),
) -> None:
    """If it is too wide, `optional` columns are left out, the last first; `folded` ones use several lines.

    By default every column may use several lines.
    """
    from rich.console import Console
    from rich.table import Table

    folded = columns if folded is None else folded
    rows = [[printable(cell) for cell in row] for row in rows]
    width = _terminal_width() or _PIPE_WIDTH
    left_out = _left_out(columns, rows, width=width, folded=folded, optional=optional)
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    kept = [number for number, name in enumerate(columns) if name not in left_out]
    for number in kept:
        is_folded = columns[number] in folded
        table.add_column(columns[number], overflow="fold", no_wrap=not is_folded)
    for row in rows:
        table.add_row(*(row[number] for number in kept))
    Console(highlight=False, markup=False, width=width).print(table)


def _left_out(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    width: int,
    folded: Collection[str],
    optional: Sequence[str],
) -> set[str]:
    from rich.cells import cell_len

    needed = {
        name: max(map(cell_len, (name, *(row[number] for row in rows))))
        for number, name in enumerate(columns)
    }
    for name in folded:
        needed[name] = min(needed[name], max(_MIN_FOLDED, cell_len(name)))
    left_out: set[str] = set()
    for name in reversed(optional):
        if sum(needed.values()) + _GAP * (len(needed) - 1) <= width:
            break
        left_out.add(name)
        del needed[name]
    return left_out


def _terminal_width() -> int | None:
    """None where the output is no terminal."""
    return shutil.get_terminal_size((0, 0)).columns or None


def _is_stderr_redirected() -> bool:
    return sys.stdout.isatty() and not sys.stderr.isatty()


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def score_cells(
    evaluation: Evaluation, outcomes: Mapping[Outcome, int], *, state: str
) -> tuple[str, str, str, str]:
    """Score, interval, method and scored attempts; without a summary, the state is in place of the score."""
    summary, total = evaluation.summary, evaluation.total_attempts
    if summary is None:
        return state, "", "", f"{scored_count(outcomes):,} of {total:,}"
    scored = f"{summary.scored:,} of {total:,}"
    if summary.score is None:
        return "none", "", "", scored
    return percent(summary.score.value), *interval_texts(summary.score), scored


def score_text(estimate: Estimate | None) -> str:
    """A score never stands alone: value, interval and how the interval was found."""
    if estimate is None:
        return "no score"
    return " ".join((percent(estimate.value), *interval_texts(estimate))).strip()


def interval_texts(estimate: Estimate) -> tuple[str, str]:
    interval = estimate.interval
    if interval is None:
        return "", ""
    return f"[{100 * interval.low:.1f}, {100 * interval.high:.1f}]", interval.method.value


def cost_text(cost_usd: Decimal | None) -> str:
    if cost_usd is None:
        return "unknown"
    return "under $0.0001" if 0 < cost_usd < _LEAST_SHOWN_USD else f"${cost_usd:.4f}"


def duration_text(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    if seconds < _MINUTE_S:
        return f"{seconds:.1f} s"
    return str(timedelta(seconds=round(seconds)))


def milliseconds(value: float) -> str:
    return f"{value / 1000:.1f} s" if value >= 1000 else f"{value:.0f} ms"  # noqa: PLR2004


def age_text(moment: datetime) -> str:
    return rough_duration((datetime.now(UTC) - moment).total_seconds()) or "now"


def rough_duration(seconds: float) -> str:
    """In the largest unit that fits; empty for less than a minute."""
    for unit, size in (("d", _DAY_S), ("h", _HOUR_S), ("min", _MINUTE_S)):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return ""
