"""Runs the tool of the weather station and reads what it prints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Reading:
    """What the station has measured in a city on a day."""

    city: str
    day: date
    units: str
    temperature: float
    sky: str
    token: str


def read_weather(
    city: str,
    day: date,
    *,
    units: str = "metric",
    command: Sequence[str] | None = None,
    timeout: float = 10.0,
) -> Reading:
    """Run the tool for a city and a day; raises WeatherError."""
    raise NotImplementedError


def travel_report(
    cities: Iterable[str],
    day: date,
    *,
    units: str = "metric",
    command: Sequence[str] | None = None,
) -> str:
    """One line of text for each city."""
    raise NotImplementedError
