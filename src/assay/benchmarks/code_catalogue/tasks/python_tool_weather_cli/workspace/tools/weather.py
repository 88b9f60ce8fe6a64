"""Prints what a weather station has measured.

    python tools/weather.py --city=CITY --day=YYYY-MM-DD [--units=metric|imperial]

With status 0 it prints a JSON object to standard output, in UTF-8:

    {"city": …, "day": …, "units": …, "temperature": …, "sky": …, "token": …}

Otherwise it prints nothing there, and {"error": …} to standard error. The status is 2 for
wrong arguments, 3 for a city that the station does not know, and 4 if it is offline. The
environment variable WEATHER_STATION chooses the station.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from datetime import date
from hashlib import sha256
from typing import NoReturn

CITIES = ("Bergen", "Lisbon", "Nairobi", "Québec", "São Tomé", "Val-d'Or", "Ōsaka")
SKIES = ("clear", "cloudy", "fog", "rain", "sleet", "snow")


def main() -> int:
    options = _options()
    station = os.environ.get("WEATHER_STATION", "central")
    if station == "offline":
        return _failed(4, "the station is offline")
    if options.city not in CITIES:
        return _failed(3, f"unknown city: {options.city}")
    asked = f"{station}/{options.city}/{options.day.isoformat()}"
    measured = sha256(asked.encode()).digest()
    celsius = int.from_bytes(measured[:2], "big") % 600 / 10 - 25
    is_metric = options.units == "metric"
    reading = {
        "city": options.city,
        "day": options.day.isoformat(),
        "units": options.units,
        "temperature": round(celsius if is_metric else celsius * 1.8 + 32, 1),
        "sky": SKIES[measured[2] % len(SKIES)],
        "token": sha256(measured + options.units.encode()).hexdigest()[:16],
    }
    print(json.dumps(reading))
    return 0


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        sys.exit(_failed(2, message))


def _options() -> argparse.Namespace:
    parser = _Parser(allow_abbrev=False)
    parser.add_argument("--city", required=True)
    parser.add_argument("--day", required=True, type=date.fromisoformat)
    parser.add_argument("--units", choices=("metric", "imperial"), default="metric")
    return parser.parse_args()


def _failed(status: int, message: str) -> int:
    print(json.dumps({"error": message}), file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
