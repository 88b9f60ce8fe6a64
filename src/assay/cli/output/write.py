"""Output shared by the commands: JSON for programs, tables for people."""

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import orjson

from assay.domain.stats import Estimate

_PIPE_WIDTH = 200
_MINUTE_S, _HOUR_S, _DAY_S = 60, 3_600, 86_400


def write_json(document: Mapping[str, object]) -> None:
    sys.stdout.buffer.write(orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    sys.stdout.flush()


def write_table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, title: str | None = None) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*row)
    # Whoever reads a pipe has no window whose width would matter.
    width = None if sys.stdout.isatty() else _PIPE_WIDTH
    Console(highlight=False, markup=False, width=width).print(table)


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


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
    return "unknown" if cost_usd is None else f"${cost_usd:.4f}"


def duration_text(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    if seconds < _MINUTE_S:
        return f"{seconds:.1f} s"
    return str(timedelta(seconds=round(seconds)))


def age_text(moment: datetime) -> str:
    seconds = (datetime.now(UTC) - moment).total_seconds()
    for unit, size in (("d", _DAY_S), ("h", _HOUR_S), ("min", _MINUTE_S)):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit} ago"
    return "just now"
