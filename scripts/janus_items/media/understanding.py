"""20 pictures whose content has one exact answer."""

from scripts.janus_items.media import pictures
from scripts.janus_items.media.canvas import Canvas
from scripts.janus_items.task import Task

_COLOURS = ["blue", "orange", "green", "red", "purple", "brown"]
_SALES = {"MON": 34, "TUE": 21, "WED": 47, "THU": 29, "FRI": 38}
_VISITS = {"JAN": 60, "FEB": 45, "MAR": 75, "APR": 30, "MAY": 90, "JUN": 15}
_RAIN = {"OSLO": 42, "CORK": 88, "BERN": 57, "RIGA": 49, "PISA": 36}
_PARTS = {"A": 40, "B": 100, "C": 60, "D": 80, "E": 20}
_NORTH, _SOUTH = [12, 18, 25, 22, 30, 28, 35], [20, 24, 31, 19, 26, 33, 27]
_HEAT = [40, 35, 20, 30, 50, 45, 25]
_STOCK = [
    ["PART", "OSLO", "CORK", "RIGA"],
    ["HOSE", "118", "46", "73"],
    ["VALVE", "29", "64", "85"],
    ["PUMP", "7", "12", "9"],
    ["FILTER", "91", "38", "55"],
]
_TRAINS = [
    ["TRAIN", "FROM", "TO", "MIN"],
    ["R14", "BODO", "FAUSKE", "42"],
    ["R22", "FAUSKE", "MO", "137"],
    ["R31", "MO", "BODO", "184"],
    ["R47", "NARVIK", "KIRUNA", "175"],
]
_BILL = [["ITEM", "EUR"], ["CABLE", "14.35"], ["LAMP", "27.90"], ["SWITCH", "8.25"], ["PLUG", "3.70"]]
_MANY = [
    ("circle", "red", 40, 40, 18), ("circle", "blue", 100, 34, 14), ("square", "red", 160, 48, 16),
    ("circle", "red", 226, 40, 12), ("triangle", "green", 286, 44, 18), ("circle", "red", 60, 110, 22),
    ("square", "blue", 130, 112, 18), ("triangle", "red", 196, 108, 18), ("circle", "green", 262, 112, 20),
    ("circle", "red", 34, 182, 14), ("square", "green", 96, 180, 20), ("circle", "blue", 160, 178, 16),
    ("circle", "red", 222, 180, 20), ("square", "red", 286, 182, 14),
]  # fmt: skip
_MIXED = [
    ("triangle", "orange", 50, 46, 22), ("square", "purple", 130, 52, 26), ("triangle", "blue", 214, 40, 18),
    ("circle", "orange", 282, 54, 20), ("square", "blue", 56, 150, 14), ("diamond", "green", 140, 146, 26),
    ("triangle", "purple", 222, 154, 28), ("circle", "brown", 286, 150, 16),
]  # fmt: skip
_SQUARES = [
    ("square", "red", 46, 60, 20), ("square", "green", 120, 70, 30), ("circle", "blue", 210, 70, 44),
    ("square", "orange", 290, 60, 16), ("square", "purple", 70, 160, 26), ("triangle", "red", 170, 160, 36),
    ("square", "blue", 260, 160, 24),
]  # fmt: skip
_ROW = [
    ("diamond", "green", 250, 50, 22), ("circle", "orange", 96, 60, 20), ("square", "red", 180, 70, 18),
    ("triangle", "purple", 44, 58, 22), ("circle", "blue", 300, 62, 16),
]  # fmt: skip
_PLACES = {"A": (40, 40), "B": (160, 36), "C": (284, 50), "D": (50, 180), "E": (168, 184), "F": (280, 176)}
_ROADS = [
    ("A", "B", 34),
    ("B", "C", 41),
    ("A", "D", 19),
    ("D", "E", 27),
    ("E", "F", 22),
    ("B", "E", 15),
    ("C", "F", 38),
]


def tasks() -> list[Task]:
    kind = {"task_type": "image_understanding"}
    return [
        {**kind, "prompt": prompt, "images": [picture.url()], "expected_answer": answer, **more}
        for prompt, picture, answer, more in (*_charts(), *_tables(), *_scenes(), *_others())
    ]


Row = tuple[str, Canvas, object, Task]


def _charts() -> list[Row]:
    sales = pictures.bar_chart("UNITS SOLD", _SALES, _COLOURS, step=10)
    visits = pictures.bar_chart("VISITS", _VISITS, ["blue"], step=15)
    rain = pictures.bar_chart("RAIN IN MM", _RAIN, ["green"], step=20)
    parts = pictures.bar_chart("PARTS A MINUTE", _PARTS, _COLOURS[::-1], step=20)
    halls = pictures.line_chart(
        "LITRES PER HOUR", {"NORTH": _NORTH, "SOUTH": _SOUTH}, ["blue", "red"], step=10
    )
    heat = pictures.line_chart("DEGREES", {"BOILER": _HEAT}, ["orange"], step=10)
    below = next(n for n, (a, b) in enumerate(zip(_NORTH, _SOUTH, strict=True), start=1) if a > b)
    return [
        ("On which day was most sold? Give its three letters.", sales, max(_SALES, key=lambda d: _SALES[d]), {}),
        ("On which day was second least sold? Give its three letters.", sales, sorted(_SALES, key=lambda d: _SALES[d])[1], {}),
        ("How many visits were there in April?", visits, _VISITS["APR"], {}),
        ("How many months had more than 50 visits?", visits, sum(v > 50 for v in _VISITS.values()), {}),
        ("Which two cities had less rain than Riga? Give them as they are written there.", rain,
         [c for c in _RAIN if _RAIN[c] < _RAIN["RIGA"]], {"evaluation": {"any_order": ["Answer"]}}),
        ("How many parts a minute do the red and the green machine make together?", parts,
         sum(v for (n, v), c in zip(_PARTS.items(), _COLOURS[::-1][:5], strict=True) if c in ("red", "green")), {}),
        ("At which point, counted from 1, is the line of NORTH above the line of SOUTH for the first time?", halls, below, {}),
        ("At which point, counted from 1, is the boiler coldest?", heat, _HEAT.index(min(_HEAT)) + 1, {}),
    ]  # fmt: skip


def _tables() -> list[Row]:
    stock = pictures.table(_STOCK, [100, 70, 70, 70])
    trains = pictures.table(_TRAINS, [80, 100, 100, 60])
    bill = pictures.table(_BILL, [100, 90])
    return [
        ("How many valves are in Riga?", stock, int(_STOCK[2][3]), {}),
        ("Of which part are there most in Cork?", stock, max(_STOCK[1:], key=lambda row: int(row[2]))[0], {}),
        ("How long, in minutes, does the train take that goes from Mo?", trains, 184, {}),
        (
            "What is the sum of the bill, in euros?",
            bill,
            round(sum(float(row[1]) for row in _BILL[1:]), 2),
            {},
        ),
    ]


def _scenes() -> list[Row]:
    many, mixed = pictures.scene(320, 220, _MANY), pictures.scene(320, 200, _MIXED)
    squares, row = pictures.scene(320, 210, _SQUARES), pictures.scene(330, 120, _ROW)
    largest = max((one for one in _SQUARES if one[0] == "square"), key=lambda one: one[4])
    return [
        ("How many red circles are there?", many, sum(one[:2] == ("circle", "red") for one in _MANY), {}),
        ("How many of the shapes are not triangles?", mixed, sum(one[0] != "triangle" for one in _MIXED), {}),
        ("Which colour has the largest square?", squares, largest[1], {}),
        (
            "Name the colours of the shapes from left to right.",
            row,
            [one[1] for one in sorted(_ROW, key=lambda one: one[2])],
            {},
        ),
    ]


def _others() -> list[Row]:
    sign = pictures.words([("PIER 4", "black", 2), ("KESTREL", "blue", 5), ("SAILS AT 18:25", "black", 2)])
    label = pictures.words(
        [("BATCH 70412", "black", 3), ("CODE QX-8153", "red", 3), ("LOT 8135-XQ", "green", 3)]
    )
    roads = pictures.route_map(_PLACES, _ROADS)
    clock = pictures.clock(4, 40)
    whole = {"evaluation": {"all_or_nothing": True}}
    return [
        ("Which word is written in blue?", sign, "KESTREL", {}),
        (
            "Give the code that is written in red, without the word before it.",
            label,
            "QX-8153",
            {"evaluation": {"accept": {"Answer": ["CODE QX-8153"]}}},
        ),
        (
            "The red hand shows the hour. Which time is it, on a clock of twelve hours?",
            clock,
            {"Hour": 4, "Minute": 40},
            whole,
        ),
        (
            "The numbers are kilometres. How long is the shortest way from A to F?",
            roads,
            _shortest("A", "F"),
            {},
        ),
    ]


def _shortest(start: str, end: str) -> int:
    found = {start: 0}
    for _ in _PLACES:
        for a, b, kilometres in _ROADS:
            for here, there in ((a, b), (b, a)):
                if here in found:
                    found[there] = min(found.get(there, 10**6), found[here] + kilometres)
    return found[end]
