"""Pictures with charts, tables, shapes and words."""

from itertools import pairwise

from scripts.janus_items.media.canvas import Canvas, Point

Bars = dict[str, int]


def bar_chart(title: str, bars: Bars, colours: list[str], *, step: int) -> Canvas:
    """With a scale from 0 in steps, and a grey line at each step."""
    canvas = Canvas(320, 220)
    canvas.centred(170, 14, title)
    highest = -(-max(bars.values()) // step) * step
    for value in range(0, highest + 1, step):
        y = 190 - 160 * value // highest
        canvas.box(44, y, 264, 1, "grey" if value == 0 else "light")
        canvas.text(40 - 12 * len(str(value)) // 2 - 6, y - 3, str(value), size=1)
    width = 264 // len(bars)
    for number, (name, value) in enumerate(bars.items()):
        height = 160 * value // highest
        left = 44 + number * width
        canvas.box(left + width // 5, 190 - height, width * 3 // 5, height, colours[number % len(colours)])
        canvas.centred(left + width // 2, 203, name, size=1 if len(name) > 3 else 2)
    return canvas


def line_chart(title: str, lines: dict[str, list[int]], colours: list[str], *, step: int) -> Canvas:
    """One line of points for each name; the horizontal axis counts from 1."""
    canvas = Canvas(320, 220)
    canvas.centred(160, 14, title)
    highest = -(-max(max(values) for values in lines.values()) // step) * step
    for value in range(0, highest + 1, step):
        y = 190 - 150 * value // highest
        canvas.box(36, y, 270, 1, "grey" if value == 0 else "light")
        canvas.text(30 - 6 * len(str(value)), y - 3, str(value), size=1)
    for name, values in lines.items():
        colour = colours[list(lines).index(name)]
        points = [(52 + 36 * n, 190 - 150 * value // highest) for n, value in enumerate(values)]
        for start, end in pairwise(points):
            canvas.line(start, end, colour)
        for x, y in points:
            canvas.disc(x, y, 3, colour)
    for n in range(max(map(len, lines.values()))):
        canvas.centred(52 + 36 * n, 200, str(n + 1), size=1)
    for n, name in enumerate(lines):
        canvas.box(50 + 90 * n, 208, 8, 8, colours[n])
        canvas.text(62 + 90 * n, 209, name, size=1)
    return canvas


def table(rows: list[list[str]], widths: list[int]) -> Canvas:
    """The first row is a head."""
    canvas = Canvas(sum(widths) + 9, 24 * len(rows) + 8)
    for number, row in enumerate(rows):
        y = 4 + 24 * number
        x = 4
        if number == 0:
            canvas.box(4, y, sum(widths), 24, "light")
        for text, width in zip(row, widths, strict=True):
            canvas.frame(x, y, width + 1, 25, "grey")
            canvas.text(x + 6, y + 5, text)
            x += width
    return canvas


def scene(width: int, height: int, shapes: list[tuple[str, str, int, int, int]]) -> Canvas:
    """Shapes as kind, colour, centre and half of their size."""
    canvas = Canvas(width, height)
    for kind, colour, x, y, size in shapes:
        if kind == "circle":
            canvas.disc(x, y, size, colour)
        elif kind == "square":
            canvas.box(x - size, y - size, 2 * size, 2 * size, colour)
        elif kind == "triangle":
            canvas.polygon([(x - size, y + size), (x + size, y + size), (x, y - size)], colour)
        else:
            canvas.polygon([(x, y - size), (x + size, y), (x, y + size), (x - size, y)], colour)
    return canvas


def words(lines: list[tuple[str, str, int]], *, width: int = 320) -> Canvas:
    """Lines of text with their colour and size, one below the other."""
    canvas = Canvas(width, sum(9 * size + 12 for _, _, size in lines) + 8)
    y = 8
    for text, colour, size in lines:
        canvas.centred(width // 2, y + 4 * size, text, colour, size=size)
        y += 9 * size + 12
    return canvas


def clock(hour: int, minute: int) -> Canvas:
    """A dial with numerals; the hands point to whole steps of five minutes."""
    canvas = Canvas(200, 200)
    canvas.disc(100, 100, 92, "black")
    canvas.disc(100, 100, 89, "white")
    for number, (x, y) in enumerate(_ring(76), start=1):
        canvas.centred(x, y, str(number))
    step = minute // 5
    around = _ring(62)
    canvas.line((100, 100), around[step - 1], "black", thickness=3)
    whole, after = _ring(40)[hour % 12 - 1], _ring(40)[hour % 12]
    part = tuple(a + (b - a) * minute // 60 for a, b in zip(whole, after, strict=True))
    canvas.line((100, 100), (part[0], part[1]), "red", thickness=5)
    canvas.disc(100, 100, 5, "black")
    return canvas


def _ring(radius: int) -> list[Point]:
    """The places of the numerals 1 to 12, by the sines of 30 degrees and 60 degrees."""
    half, long = radius // 2, radius * 866 // 1000
    right = [(half, -long), (long, -half), (radius, 0), (long, half), (half, long), (0, radius)]
    return [(100 + x, 100 + y) for x, y in right] + [(100 - x, 100 - y) for x, y in right]


def route_map(places: dict[str, Point], roads: list[tuple[str, str, int]]) -> Canvas:
    canvas = Canvas(320, 220)
    for start, end, _ in roads:
        (ax, ay), (bx, by) = places[start], places[end]
        canvas.line((ax, ay), (bx, by), "grey", thickness=3)
    for start, end, kilometres in roads:
        (ax, ay), (bx, by) = places[start], places[end]
        x, y = (ax + bx) // 2, (ay + by) // 2
        canvas.box(x - 14, y - 9, 28, 18, "white")
        canvas.centred(x, y, str(kilometres), "red")
    for name, (x, y) in places.items():
        canvas.disc(x, y, 13, "blue")
        canvas.centred(x + 1, y, name, "white")
    return canvas


def grid(rows: list[str], colours: dict[str, str], *, cell: int = 26) -> Canvas:
    """Cells with a letter of `colours` are filled; rows are numbered, columns lettered."""
    canvas = Canvas(cell * len(rows[0]) + 34, cell * len(rows) + 34)
    for y, row in enumerate(rows):
        canvas.centred(14, 28 + cell * y + cell // 2, str(y + 1))
        for x, letter in enumerate(row):
            if y == 0:
                canvas.centred(28 + cell * x + cell // 2, 13, "ABCDEFGHIJ"[x])
            if letter in colours:
                canvas.box(28 + cell * x, 28 + cell * y, cell, cell, colours[letter])
            canvas.frame(28 + cell * x, 28 + cell * y, cell + 1, cell + 1, "grey")
    return canvas
