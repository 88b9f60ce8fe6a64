"""Which problems a variant asks: a release of the data, and a window of contest dates within it."""

import re
from dataclasses import dataclass
from datetime import datetime

LATEST = 6
# Number of problems in release 1, 2, …; each release includes the earlier ones and adds a file.
SIZES = (400, 511, 612, 713, 880, 1055)

_DATE = r"(\d{4}-\d{2}-\d{2})?"
_NAME = re.compile(rf"(?:v(?P<alone>[1-6])|(?:v(?P<release>[1-6])_)?{_DATE}_{_DATE})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Selection:
    """Dates are inclusive at midnight, as officially: a contest later on the last day is left out."""

    release: int = LATEST
    first: datetime | None = None
    last: datetime | None = None

    def has(self, contest_date: datetime) -> bool:
        after = self.first is None or contest_date >= self.first
        return after and (self.last is None or contest_date <= self.last)

    @property
    def title(self) -> str:
        parts = [f"release {self.release}"]
        parts += [f"contests from {self.first:%Y-%m-%d}"] if self.first else []
        parts += [f"contests until {self.last:%Y-%m-%d}"] if self.last else []
        return ", ".join(parts)


def selection_named(name: str) -> Selection | None:
    """Reads `v5`, `2024-07-01_2025-01-01`, `v5_2024-07-01_` and so on; None for any other name."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    if match["alone"]:
        return Selection(int(match["alone"]))
    try:
        first, last = (datetime.fromisoformat(day) if day else None for day in match.groups()[2:])
    except ValueError:
        return None
    if first is None and last is None:
        return None
    return Selection(int(match["release"] or LATEST), first, last)
