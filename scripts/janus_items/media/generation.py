"""20 drawings to make as SVG, each with an example that is right."""

from scripts.janus_items.task import Task

Shape = dict[str, object]


def tasks() -> list[Task]:
    return [
        {
            "task_type": "image_generation",
            "prompt": prompt,
            "expected_answer": _svg(view, example),
            "evaluation": {"view": list(view), "shapes": shapes, **({"rules": rules} if rules else {})},
        }
        for prompt, view, shapes, rules, example in _DRAWINGS
    ]


def _svg(view: tuple[int, int], body: str) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {view[0]} {view[1]}">{body}</svg>'


def _circle(fill: str, x: float | None = None, y: float | None = None, r: float | None = None) -> Shape:
    place: Shape = {} if x is None else {"at": [x, y]}
    return {"shape": "circle", "fill": fill, **place, **({} if r is None else {"size": [2 * r, 2 * r]})}


def _box(fill: str, x: float, y: float, width: float, height: float) -> Shape:
    at = [x + width / 2, y + height / 2]
    return {"shape": "rectangle", "fill": fill, "at": at, "size": [width, height]}


def _line(stroke: str, *ends: list[float]) -> Shape:
    return {"shape": "line", "stroke": stroke, "ends": list(ends)}


def _many(shape: Shape, count: int) -> list[Shape]:
    return [dict(shape) for _ in range(count)]


def _dots(fill: str, r: int, *places: tuple[int, int]) -> str:
    return "".join(f'<circle cx="{x}" cy="{y}" r="{r}" fill="{fill}"/>' for x, y in places)


def _rects(*rects: tuple[str, int, int, int, int]) -> str:
    return "".join(
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{fill}"/>'
        for fill, x, y, width, height in rects
    )


def _lines(stroke: str, *ends: tuple[int, int, int, int]) -> str:
    return "".join(f'<line x1="{a}" y1="{b}" x2="{c}" y2="{d}" stroke="{stroke}"/>' for a, b, c, d in ends)


def _polygons(fill: str, *points: str) -> str:
    return "".join(f'<polygon points="{one}" fill="{fill}"/>' for one in points)


_SQUARE = (200, 200)
_DRAWINGS: list[tuple[str, tuple[int, int], list[Shape], list[str], str]] = [
    (
        "Draw a red circle with the radius 40 in the middle of a picture of 200 by 200.",
        _SQUARE, [_circle("red", 100, 100, 40)], [], _dots("red", 40, (100, 100)),
    ),
    (
        "In a picture of 200 by 200, draw a blue square with sides of 60, its upper left corner 20 from the left edge and 30 from"
        " the top.",
        _SQUARE, [{**_box("blue", 20, 30, 60, 60), "shape": "square"}], [], _rects(("blue", 20, 30, 60, 60)),
    ),
    (
        "Draw one green triangle in a picture of 200 by 200: the tip in the middle, 20 below the top, the base 20 above the bottom"
        " and 160 wide, centred.",
        _SQUARE, [{"shape": "triangle", "fill": "green", "at": [100, 100], "size": [160, 160]}], [],
        _polygons("green", "100,20 180,180 20,180"),
    ),
    (
        "Draw a black line from the lower left corner to the upper right corner of a picture of 200 by 200, ending 10 before each"
        " of the two edges of a corner.",
        _SQUARE, [_line("black", [10, 190], [190, 10])], [], _lines("black", (10, 190, 190, 10)),
    ),
    (
        "Draw three red circles with the radius 20 beside each other, at one height and without touching, in a picture of 200 by"
        " 200.",
        _SQUARE, _many(_circle("red", r=20), 3), ["apart", "in_a_row"], _dots("red", 20, (40, 100), (100, 100), (160, 100)),
    ),
    (
        "Draw five blue squares of one size exactly below each other, not touching, in a picture of 100 by 300.",
        (100, 300), _many({"shape": "square", "fill": "blue"}, 5), ["apart", "in_a_column", "one_size"],
        _rects(*(("blue", 30, 10 + 55 * n, 40, 40) for n in range(5))),
    ),
    (
        "Draw a target in the middle of a picture of 200 by 200: a red disc with the radius 80, on it a white one with the radius"
        " 50, on that a red one with the radius 20.",
        _SQUARE, [_circle("red", 100, 100, 80), _circle("white", 100, 100, 50), _circle("red", 100, 100, 20)],
        ["nested", "one_centre"],
        _dots("red", 80, (100, 100)) + _dots("white", 50, (100, 100)) + _dots("red", 20, (100, 100)),
    ),
    (
        "Draw a flag of 300 by 180 with three horizontal bands of one height, from top to bottom black, red and gold.",
        (300, 180), [_box("black", 0, 0, 300, 60), _box("red", 0, 60, 300, 60), _box("gold", 0, 120, 300, 60)],
        ["top_to_bottom"], _rects(("black", 0, 0, 300, 60), ("red", 0, 60, 300, 60), ("gold", 0, 120, 300, 60)),
    ),
    (
        "Draw a flag of 180 by 120 with three upright bands of one width, from left to right navy, white and orange.",
        (180, 120), [_box("navy", 0, 0, 60, 120), _box("white", 60, 0, 60, 120), _box("orange", 120, 0, 60, 120)],
        ["left_to_right"], _rects(("navy", 0, 0, 60, 120), ("white", 60, 0, 60, 120), ("orange", 120, 0, 60, 120)),
    ),
    (
        "Draw a traffic light in a picture of 100 by 240: a grey rectangle of 80 by 220 in the middle, and on it three circles of"
        " one size below each other, red, yellow and green from top to bottom.",
        (100, 240), [_box("grey", 10, 10, 80, 220), _circle("red"), _circle("yellow"), _circle("green")], ["in_a_column"],
        _rects(("grey", 10, 10, 80, 220)) + _dots("red", 28, (50, 50)) + _dots("yellow", 28, (50, 120)) + _dots("green", 28, (50, 190)),
    ),
    (
        "Draw a bar chart in a picture of 240 by 200: three teal bars, 40 wide and not touching, that stand on one line 20 above"
        " the bottom. Their values, from left to right, are 3, 7 and 5; one unit is 20 high. Draw the bars alone.",
        (240, 200),
        [{"shape": "rectangle", "fill": "teal", "size": [40, 20 * value]} for value in (3, 7, 5)],
        ["left_to_right", "on_one_ground", "apart"],
        _rects(*(("teal", 30 + 70 * n, 180 - 20 * value, 40, 20 * value) for n, value in enumerate((3, 7, 5)))),
    ),
    (
        "Draw a sign of 200 by 100: a rectangle of 180 by 80 in the middle with a black outline and no filling, and the text"
        " GATE 7 in it, written once.",
        (200, 100),
        [{"shape": "rectangle", "fill": "none", "stroke": "black", "at": [100, 50], "size": [180, 80]},
         {"shape": "text", "text": "GATE 7", "at": [100, 55], "tolerance": 75}],
        [],
        '<rect x="10" y="10" width="180" height="80" fill="none" stroke="black"/>'
        '<text x="100" y="58" text-anchor="middle" font-size="24">GATE 7</text>',
    ),
    (
        "Draw a board of two by two fields in a picture of 200 by 200. Every field takes a quarter of the picture; the upper left"
        " one and the lower right one are black, the others are left empty.",
        _SQUARE, [_box("black", 0, 0, 100, 100), _box("black", 100, 100, 100, 100)], [],
        _rects(("black", 0, 0, 100, 100), ("black", 100, 100, 100, 100)),
    ),
    (
        "Draw a meadow in a picture of 300 by 200: a green rectangle over the lower quarter, all its width, and a yellow sun with"
        " the radius 30 whose middle is 50 from the right edge and 50 from the top.",
        (300, 200), [_box("green", 0, 150, 300, 50), _circle("yellow", 250, 50, 30)], ["apart"],
        _rects(("green", 0, 150, 300, 50)) + _dots("yellow", 30, (250, 50)),
    ),
    (
        "Draw a purple square on the left and an orange circle on the right of it, not touching, both 50 wide and at one height,"
        " in a picture of 200 by 100.",
        (200, 100), [{"shape": "square", "fill": "purple", "size": [50, 50]}, _circle("orange", r=25)],
        ["left_to_right", "apart", "in_a_row"], _rects(("purple", 20, 25, 50, 50)) + _dots("orange", 25, (150, 50)),
    ),
    (
        "Draw a house in a picture of 200 by 200: an orange square with sides of 100, centred, that stands on the bottom edge, and"
        " on top of it a brown triangle as wide as the square and 60 high, its base on the square.",
        _SQUARE,
        [{"shape": "square", "fill": "orange", "at": [100, 150], "size": [100, 100]},
         {"shape": "triangle", "fill": "brown", "at": [100, 70], "size": [100, 60]}],
        [], _rects(("orange", 50, 100, 100, 100)) + _polygons("brown", "50,100 150,100 100,40"),
    ),
    (
        "Draw three level lines in navy in a picture of 200 by 200. They go from 20 to 180 from the left edge, and are 50, 100 and"
        " 150 below the top.",
        _SQUARE, [_line("navy", [20, y], [180, y]) for y in (50, 100, 150)], [],
        _lines("navy", *((20, y, 180, y) for y in (50, 100, 150))),
    ),
    (
        "Draw a purple ellipse, 160 wide and 60 high, in the middle of a picture of 200 by 200.",
        _SQUARE, [{"shape": "ellipse", "fill": "purple", "at": [100, 100], "size": [160, 60]}], [],
        '<ellipse cx="100" cy="100" rx="80" ry="30" fill="purple"/>',
    ),
    (
        "Draw four maroon circles with the radius 10 in a picture of 200 by 200, one in each corner: their middles are 20 from"
        " both edges.",
        _SQUARE, [_circle("maroon", x, y, 10) for x in (20, 180) for y in (20, 180)], [],
        _dots("maroon", 10, (20, 20), (20, 180), (180, 20), (180, 180)),
    ),
    (
        "Draw squares in each other in the middle of a picture of 200 by 200: a black one with sides of 160, on it a silver one of"
        " 110, on that a black one of 60.",
        _SQUARE, [_box("black", 20, 20, 160, 160), _box("silver", 45, 45, 110, 110), _box("black", 70, 70, 60, 60)],
        ["nested", "one_centre"],
        _rects(("black", 20, 20, 160, 160), ("silver", 45, 45, 110, 110), ("black", 70, 70, 60, 60)),
    ),
]  # fmt: skip
