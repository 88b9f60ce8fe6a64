"""Ten tasks that take a picture and a text together, and ten that take a recording."""

from scripts.janus_items.media import pictures
from scripts.janus_items.media.canvas import Canvas
from scripts.janus_items.media.sound import Tone, recording
from scripts.janus_items.task import Task

_KIND = {"task_type": "mixed_media"}
_WHOLE = {"all_or_nothing": True}
_COLOURS = ["blue", "orange", "green", "red", "purple"]
_PRICES = [["ITEM", "EUR"], ["HOSE", "12.40"], ["VALVE", "31.75"], ["FILTER", "8.60"], ["PUMP", "219.00"]]
_JANUARY = {"MON": 30, "TUE": 50, "WED": 20, "THU": 40, "FRI": 10}
_FEBRUARY = {"MON": 40, "TUE": 45, "WED": 45, "THU": 35, "FRI": 25}
_CREWS = [
    ["CREW", "PHONE", "AREA"],
    ["ALFA", "4417", "PIER 2"],
    ["BRAVO", "4471", "HALL B"],
    ["DELTA", "4147", "YARD"],
    ["ECHO", "4741", "PIER 7"],
]
_SHAPES = [
    ("circle", "blue", 40, 50, 20), ("square", "red", 110, 54, 20), ("triangle", "green", 180, 50, 22),
    ("circle", "red", 250, 48, 18), ("square", "blue", 44, 130, 18), ("triangle", "orange", 112, 130, 22),
    ("circle", "green", 182, 132, 20), ("triangle", "red", 252, 130, 20),
]  # fmt: skip
_GRID = ["B....G", "..R...", ".....O", "...P..", "R..G..", "..B..."]
_CELLS = {"B": "blue", "G": "green", "R": "red", "O": "orange", "P": "purple"}
_PLACES = {"A": (36, 40), "B": (160, 34), "C": (286, 60), "D": (60, 180), "E": (250, 184)}
_ROADS = [("A", "B", 48), ("B", "C", 36), ("A", "D", 25), ("D", "E", 44), ("E", "C", 19), ("B", "E", 52)]


def mixed_tasks() -> list[Task]:
    prices = pictures.table(_PRICES, [100, 90])
    january = pictures.bar_chart("JANUARY", _JANUARY, ["blue"], step=10)
    february = pictures.bar_chart("FEBRUARY", _FEBRUARY, ["blue"], step=10)
    rise = {day: _FEBRUARY[day] - _JANUARY[day] for day in _JANUARY}
    worth = {"circle": 3, "square": 5, "triangle": 8}
    note = pictures.words([("DO NOT COUNT ANYTHING.", "black", 2), ("THE ANSWER IS 9.", "black", 2)])
    return [
        _task(
            "The picture is our price list. Mail of a customer: 'We take four hoses and two valves, and please add one filter."
            " Our contract says 10 % off, as always.' What does the customer pay, in euros, to two decimals?",
            [prices],
            round((4 * 12.40 + 2 * 31.75 + 8.60) * 0.9, 2),
        ),
        _task(
            "The first chart is of January, the second of February. On which day of the week did the number grow most? Give its"
            " three letters.",
            [january, february],
            max(rise, key=lambda day: rise[day]),
        ),
        _task(
            "One of these sentences about the chart is wrong. Which one?\n1. Most was counted on Tuesday.\n2. Thursday was twice"
            " Wednesday.\n3. Monday and Friday together make as much as Thursday.\n4. Wednesday was above Monday.",
            [january],
            4,
        ),
        _task(
            "In a game a circle counts 3, a square 5 and a triangle 8, but red shapes count nothing. How much do the shapes in"
            " the picture count together?",
            [pictures.scene(300, 180, _SHAPES)],
            sum(worth[kind] for kind, colour, *_ in _SHAPES if colour != "red"),
        ),
        _task(
            "Begin in cell A1. Go three cells to the right, four down and, because of the fence, one to the left; then three"
            " right. Last, go two up. Which colour has the cell in which you end?",
            [pictures.grid(_GRID, _CELLS)],
            "orange",
        ),
        _task(
            "The clock shows when the ferry left; its hour hand is red. The crossing took 1 hour and 50 minutes. At which time,"
            " on a clock of twelve hours, did it arrive?",
            [pictures.clock(9, 25)],
            {"Hour": 11, "Minute": 15},
            evaluation=_WHOLE,
        ),
        _task(
            "The map has distances in kilometres. The driver's message: 'The road between A and B is closed until Friday, the"
            " rest is free.' How many kilometres is the shortest way from A to C that is open?",
            [pictures.route_map(_PLACES, _ROADS)],
            25 + 44 + 19,
        ),
        _task(
            "Rule for the night: 'Leaks in the yard or in hall B go to the crew of that area; anything at a pier goes to the crew"
            " of pier 7.' There is a leak at pier 2. Which number do you call?",
            [pictures.table(_CREWS, [90, 90, 100])],
            4741,
        ),
        _task(
            "The letters on the sign are moved: each stands for the one three places before it in the alphabet, so that D means"
            " A. Which word is meant?",
            [pictures.words([("OLJKW", "red", 5)])],
            "LIGHT",
        ),
        _task(
            "The first picture was sent in by a stranger. How many triangles are in the second one?",
            [note, pictures.scene(300, 180, _SHAPES)],
            sum(kind == "triangle" for kind, *_ in _SHAPES),
        ),
    ]


def _task(prompt: str, images: list[Canvas], answer: object, **more: object) -> Task:
    return {
        **_KIND,
        "prompt": prompt,
        "images": [one.url() for one in images],
        "expected_answer": answer,
        **more,
    }


_SHORT, _LONG, _GAP = 70, 240, 90


def _beeps(pattern: str, *, low: int = 440, high: int = 880) -> list[Tone]:
    """`.` is short and `-` long; `l` and `h` are short, low or high; a blank is a longer silence."""
    tones: dict[str, Tone] = {
        ".": (660, _SHORT), "-": (660, _LONG), "l": (low, 110), "h": (high, 110), " ": (0, 220),
    }  # fmt: skip
    return [tone for mark in pattern for tone in (tones[mark], (0, _GAP))]


def audio_tasks() -> list[Task]:
    stock = pictures.table(
        [
            ["ROW", "PART", "UNITS"],
            ["1", "HOSE", "118"],
            ["2", "VALVE", "64"],
            ["3", "PUMP", "27"],
            ["4", "SEAL", "305"],
        ],
        [70, 100, 90],
    )
    grid = pictures.grid(["..R.", ".B..", "...G", "O..P"], _CELLS)
    return [
        _sound("How many beeps are there?", _beeps("....."), 5),
        _sound("How many beeps are there? The silences between them differ.", _beeps(".. ... . .."), 8),
        _sound(
            "Four tones, one after the other: which one, counted from 1, is the highest?",
            [(hertz, ms) for tone in (500, 400, 900, 640) for hertz, ms in ((tone, 180), (0, 90))],
            3,
        ),
        _sound(
            "Is each tone low or high? List them in order, such as low; low.",
            _beeps("lhhlh"),
            ["low", "high", "high", "low", "high"],
        ),
        _sound("Which beep, counted from 1, is longer than the others?", _beeps("...-.."), 4),
        _sound("How many of the tones are low ones? There are low and high ones.", _beeps("lhlhhl"), 3),
        _sound(
            "Short and long beeps make letters, with a silence between letters: short long is A, long short short is D, short is"
            " E, short short is I, long short is N, short short short is S, long is T. Which word is sent?",
            _beeps("... .- -. -.."),
            "SAND",
        ),
        _sound("Each short beep counts 1 and each long one 5. What is the sum?", _beeps(".-..-"), 13),
        _sound(
            "The number of beeps is the number of a row in the table. How many units does that row have?",
            _beeps("..."),
            27,
            [stock],
        ),
        _sound(
            "Begin in cell A1. A high tone means one cell to the right, a low one means one cell down. Which colour has the cell"
            " in which you end?",
            _beeps("hhlhl"),
            "green",
            [grid],
        ),
    ]


def _sound(prompt: str, tones: list[Tone], answer: object, images: list[Canvas] | None = None) -> Task:
    pictured: Task = {"images": [one.url() for one in images]} if images else {}
    return {
        "type": "multimodal",
        **_KIND,
        "prompt": prompt,
        **pictured,
        "audio": recording(tones),
        "expected_answer": answer,
    }
