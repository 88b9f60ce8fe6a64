import json
import os
import sys
from datetime import date
from pathlib import Path

from weather.client import Reading, read_weather, travel_report
from weather.errors import WeatherError

MAY = date(2024, 5, 17)
OTHER_TOOL = str(Path(__file__).with_name("other_tool.py"))


def other(behaviour, value=""):
    """A command for the other tool; bytes are passed as hexadecimal digits."""
    if isinstance(value, bytes):
        value = value.hex()
    # Without what other packages add to the interpreter, which starts faster.
    return [sys.executable, "-I", "-S", OTHER_TOOL, behaviour, value]


def shown(reading):
    return [
        type(reading).__name__,
        reading.city,
        reading.day.isoformat(),
        reading.units,
        repr(reading.temperature),
        reading.sky,
        reading.token,
    ]


def outcome(city="Oslo", day=MAY, **options):
    """The reading, or the error with its attributes."""
    try:
        return shown(read_weather(city, day, **options))
    except WeatherError as error:
        known = [
            getattr(error, name) for name in ("city", "status", "message") if hasattr(error, name)
        ]
        return [type(error).__name__, *known]
    except Exception as error:
        return f"raised {type(error).__name__}"


class Started:
    """The programs that have been started since; they cannot hide from the interpreter."""

    def __init__(self):
        self.programs = []
        sys.addaudithook(self._note)

    def _note(self, event, details):
        if event == "subprocess.Popen":
            self.programs.append([os.fspath(word) for word in details[1]])
        elif event in ("os.system", "os.exec", "os.posix_spawn", "os.fork"):
            self.programs.append([event])


def test_readings_of_the_station(observe):
    observe(outcome("Bergen"))
    observe(outcome("Lisbon", date(2023, 12, 31), units="imperial"))
    observe(outcome("Nairobi", date(2024, 2, 29), units="metric", timeout=30))

    found = read_weather("Lisbon", MAY, units="imperial")
    again = Reading("Lisbon", MAY, "imperial", found.temperature, found.sky, found.token)
    observe([repr(again), found == again, type(found.day).__name__])

    for station in ("harbour", "hill top", "offline"):
        os.environ["WEATHER_STATION"] = station
        observe(outcome("Bergen"))


def test_tool_is_run(observe):
    started = Started()
    found = shown(read_weather("Lisbon", MAY))
    observe([found, len(started.programs)])
    python, tool, *options = started.programs[0]
    observe([Path(python) == Path(sys.executable), *Path(tool).parts[-2:]])
    words = [word for option in options for word in option.split("=", 1)]
    observe(sorted(words))


def test_names_of_cities(observe):
    observe([outcome(city) for city in ("Québec", "São Tomé", "Val-d'Or", "Ōsaka")])
    for city in ("-Town", "--day", "a b  c", "$HOME; echo 1", "\"'`*", "=x=", ""):
        observe(outcome(city, command=other("plain")))


def test_unknown_cities(observe):
    observe([outcome("Atlantis"), outcome("bergen"), outcome("--help"), outcome("Lisbon ")])
    observe(outcome("Oslo", command=other("fail", "3:" + b'{"error": "never heard of it"}'.hex())))


def test_failures(observe):
    texts = (
        b'{"error": "sensor 7 is frozen", "code": 12}',
        b"  Traceback: out of ink\n\n",
        b'["error"]',
        b'{"error": 7}\n',
        b'{"message": "no"}',
        b"",
        b"ice \xff here",
    )
    for status, text in enumerate(texts, start=4):
        observe(outcome(command=other("fail", f"{status}:{text.hex()}")))
    observe([outcome(command=other("fail", "1:")), outcome(command=other("signal"))])

    Path("not-a-program").write_text("just text")
    for command in (["/no/such/program", "x"], [str(Path("not-a-program").resolve())]):
        found = outcome(command=command)
        observe([found[0], found[1], len(found[2]) > 3])
    observe(outcome("Turku", command=tuple(other("plain"))))


def test_output_and_standard_error(observe):
    texts = (
        b"",
        b"sunny",
        b"[]",
        b'"text"',
        b"null",
        b'{"city": "Oslo"',
        b"{}",
        b'{"a": 1} {"b": 2}',
    )
    observe([outcome("Oslo", command=other("print", text)) for text in texts])
    whole = {
        "city": "Oslo",
        "day": "2024-05-17",
        "units": "metric",
        "temperature": 4,
        "sky": "mild",
    }
    text = json.dumps({**whole, "token": "t-1"}).encode()
    observe(outcome(command=other("print", b"\n " + text + b"\n\n")))
    observe(outcome(command=other("print", text.replace(b"mild", b"m\xecld"))))
    observe(outcome(command=other("print", text + text)))

    observe(outcome("Turku", command=other("noisy", b"warning: battery low\n")))
    observe(outcome("Vaasa", command=other("noisy", b'{"error": "not really \xfe"}')))


def test_fields_of_a_reading(observe):
    names = ("city", "day", "units", "temperature", "sky", "token")
    observe([outcome(command=other("without", name)) for name in names])
    others = ("city=null", "sky=null", "token=7", 'sky=""', 'token=""', 'temperature=""')
    observe([outcome(command=other("with", one)) for one in others])
    observe(outcome(command=other("with", "wind=[3, null]")))
    observe(outcome(command=other("with", 'token="kept"')))


def test_temperatures(observe):
    for text in ("-40", "0", "1e1", "36.6", "true", '"12"', "[1]", "NaN", "-Infinity", "1e999"):
        observe(outcome(command=other("with", f"temperature={text}")))


def test_answers_to_other_questions(observe):
    others = (
        'city="Bergen"',
        'city="oslo"',
        'day="2024-05-18"',
        'day="17.05.2024"',
        'units="imperial"',
    )
    observe([outcome(command=other("with", one)) for one in others])
    observe([outcome(command=other("with", one)) for one in ('units="metric"', 'sky="grey"')])


def test_timeout(observe):
    observe(outcome("Oulu", timeout=0.3, command=other("late", "6")))
    observe(outcome("Oulu", timeout=30, command=other("late", "0.01")))


def test_travel_report(observe):
    observe(travel_report(["Nairobi", "Atlantis", "Ōsaka", "Bergen"], MAY))
    observe(travel_report(iter(["Bergen"]), date(2024, 1, 2), units="imperial"))
    observe([travel_report([], MAY), travel_report(["Oz", "Ur"], MAY)])

    started = Started()
    text = travel_report(["Lisbon", "Ur", "Lisbon", "Bergen", "Ur", "Lisbon"], MAY)
    observe([text, len(started.programs)])


def test_report_with_other_tools(observe):
    observe(travel_report(["Å", "Rome"], MAY, units="imperial", command=other("plain")))
    for command in (other("fail", "9:" + b"smoke".hex()), other("print", b"{")):
        try:
            observe(travel_report(["Rome", "Pisa"], MAY, command=command))
        except WeatherError as error:
            observe([type(error).__name__, getattr(error, "status", "no status")])
