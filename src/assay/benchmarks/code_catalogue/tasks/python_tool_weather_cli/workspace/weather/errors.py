"""What can go wrong when the weather station is read."""

from __future__ import annotations


class WeatherError(Exception):
    """There is no reading."""


class UnknownCityError(WeatherError):
    def __init__(self, city: str) -> None:
        super().__init__(f"the station does not know {city!r}")
        self.city = city


class ToolError(WeatherError):
    """The tool failed; `status` is None if it could not be started."""

    def __init__(self, status: int | None, message: str) -> None:
        super().__init__(f"the weather tool failed with status {status}: {message}")
        self.status = status
        self.message = message


class ToolTimeoutError(WeatherError):
    """The tool did not end in time."""


class BadOutputError(WeatherError):
    """The tool printed something that is not a reading."""
