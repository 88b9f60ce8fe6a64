"""Runs the tool of the weather station and reads what it prints."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from weather.errors import BadOutputError, ToolError, ToolTimeoutError, UnknownCityError

_TOOL = Path(__file__).resolve().parent.parent / "tools" / "weather.py"
_UNKNOWN_CITY = 3
_SIGNS = {"metric": "°C", "imperial": "°F"}


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
    start = [sys.executable, str(_TOOL)] if command is None else command
    # One word for each option: a city may begin with a dash.
    options = [f"--city={city}", f"--day={day.isoformat()}", f"--units={units}"]
    try:
        ended = subprocess.run(
            [*start, *options], stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout
        )
    except subprocess.TimeoutExpired as error:
        raise ToolTimeoutError(f"the weather tool did not end within {timeout:g} s") from error
    except OSError as error:
        raise ToolError(None, str(error)) from error
    if ended.returncode == _UNKNOWN_CITY:
        raise UnknownCityError(city)
    if ended.returncode != 0:
        raise ToolError(ended.returncode, _message(ended.stderr))
    return _reading(ended.stdout, city, day, units)


def travel_report(
    cities: Iterable[str],
    day: date,
    *,
    units: str = "metric",
    command: Sequence[str] | None = None,
) -> str:
    """One line of text for each city."""
    lines: dict[str, str] = {}
    asked = list(cities)
    for city in asked:
        if city not in lines:
            lines[city] = _line(city, day, units, command)
    return "\n".join(lines[city] for city in asked)


def _line(city: str, day: date, units: str, command: Sequence[str] | None) -> str:
    try:
        found = read_weather(city, day, units=units, command=command)
    except UnknownCityError:
        return f"{city}: unknown"
    return f"{city}: {found.temperature:.1f} {_SIGNS[units]}, {found.sky} [{found.token}]"


def _message(stderr: bytes) -> str:
    text = stderr.decode("utf-8", "replace").strip()
    try:
        found = json.loads(text)
    except ValueError:
        return text
    message = found.get("error") if isinstance(found, dict) else None
    return message if isinstance(message, str) else text


def _reading(stdout: bytes, city: str, day: date, units: str) -> Reading:
    try:
        found = json.loads(stdout.decode("utf-8"))
    except ValueError as error:
        raise BadOutputError(f"the output is not JSON in UTF-8: {error}") from error
    if not isinstance(found, dict):
        raise BadOutputError("the output is not a JSON object")
    for name, wanted in (("city", city), ("day", day.isoformat()), ("units", units)):
        if found.get(name) != wanted:
            raise BadOutputError(f"{name!r} is {found.get(name)!r} instead of {wanted!r}")
    temperature = found.get("temperature")
    if isinstance(temperature, bool) or not isinstance(temperature, (int, float)):
        raise BadOutputError(f"the temperature is not a number: {temperature!r}")
    if not math.isfinite(temperature):
        raise BadOutputError(f"the temperature is not finite: {temperature!r}")
    for name in ("sky", "token"):
        if not isinstance(found.get(name), str) or not found[name]:
            raise BadOutputError(f"{name!r} is not a text: {found.get(name)!r}")
    return Reading(city, day, units, float(temperature), found["sky"], found["token"])
