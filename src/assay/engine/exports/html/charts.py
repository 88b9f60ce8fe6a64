"""Pictures as SVG: scores and differences with their intervals, and times as bars."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from assay.engine.exports.html.markup import text

_WIDTH = 720
_LABELS = 300
_FIGURES = 60
_ROW = 26
_AXIS = 22
_BARS_HEIGHT = 80
# Longer names are cut in the picture; the table beside it has them whole.
_MOST_CHARACTERS = 46


class Mark(NamedTuple):
    """One line of a picture: a value between its limits, in the unit of the picture's axis."""

    label: str
    value: float
    low: float | None
    high: float | None


def interval_chart(marks: Sequence[Mark], *, title: str) -> str:
    """Scores from 0 to 100 %."""
    return _chart(marks, title=title, axis=(0.0, 1.0), ticks=(0.0, 0.25, 0.5, 0.75, 1.0))


def difference_chart(marks: Sequence[Mark], *, title: str) -> str:
    """Differences around 0, as wide as the widest interval."""
    reach = max((abs(edge) for one in marks for edge in (one.value, one.low, one.high) if edge), default=0.0)
    reach = min(1.0, max(0.05, reach))
    return _chart(marks, title=title, axis=(-reach, reach), ticks=(-reach, 0.0, reach))


def _chart(marks: Sequence[Mark], *, title: str, axis: tuple[float, float], ticks: Sequence[float]) -> str:
    if not marks:
        return ""
    height = _ROW * len(marks) + _AXIS
    span = _WIDTH - _LABELS - _FIGURES

    def x(value: float) -> float:
        return _LABELS + span * (min(max(value, axis[0]), axis[1]) - axis[0]) / (axis[1] - axis[0])

    grid = "".join(
        f'<line x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="0" y2="{height - _AXIS}" stroke="var(--line)"/>'
        f'<text x="{x(tick):.1f}" y="{height - 6}" text-anchor="middle">{_percent(tick)}</text>'
        for tick in ticks
    )
    lines = "".join(_line(one, _ROW * place + _ROW / 2, x) for place, one in enumerate(marks))
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" role="img"'
        f' aria-label="{text(title)}">{grid}{lines}</svg>\n'
    )


def _line(mark: Mark, y: float, x: Callable[[float], float]) -> str:
    label = mark.label if len(mark.label) <= _MOST_CHARACTERS else f"{mark.label[: _MOST_CHARACTERS - 1]}…"
    interval = ""
    if mark.low is not None and mark.high is not None:
        interval = (
            f'<line x1="{x(mark.low):.1f}" x2="{x(mark.high):.1f}" y1="{y}" y2="{y}"'
            ' stroke="var(--fill)" stroke-width="3" stroke-linecap="round" opacity="0.5"/>'
        )
    return (
        f'<text x="0" y="{y + 4}">{text(label)}</text>{interval}'
        f'<circle cx="{x(mark.value):.1f}" cy="{y}" r="5" fill="var(--fill)"/>'
        f'<text x="{_WIDTH}" y="{y + 4}" text-anchor="end">{_percent(mark.value)}</text>'
    )


def _percent(value: float) -> str:
    shown = f"{100 * value:.1f}".removesuffix(".0")
    return "0" if shown == "-0" else shown


def bars(counts: Sequence[int], *, title: str) -> str:
    """Counts in bins of equal width."""
    top, width = max(counts, default=0) or 1, _WIDTH / 2 / max(len(counts), 1)
    drawn = "".join(
        f'<rect x="{place * width:.1f}" y="{_BARS_HEIGHT * (1 - count / top):.1f}" width="{width - 1:.1f}"'
        f' height="{_BARS_HEIGHT * count / top:.1f}" fill="var(--fill)"/>'
        for place, count in enumerate(counts)
        if count
    )
    return (
        f'<svg viewBox="0 0 {_WIDTH // 2} {_BARS_HEIGHT}" width="{_WIDTH // 2}" height="{_BARS_HEIGHT}"'
        f' role="img" aria-label="{text(title)}">{drawn}</svg>\n'
    )
