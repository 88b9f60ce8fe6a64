"""Draws shapes and letters without smoothing their edges, in whole numbers only."""

import base64

from scripts.janus_items.media.font import ADVANCE, GLYPHS, HEIGHT
from scripts.janus_items.media.png import Colour, png

COLOURS: dict[str, Colour] = {
    "white": (255, 255, 255),
    "black": (0, 0, 0),
    "grey": (150, 150, 150),
    "light": (225, 225, 225),
    "red": (220, 30, 30),
    "green": (20, 140, 50),
    "blue": (30, 70, 210),
    "yellow": (250, 210, 20),
    "orange": (250, 130, 10),
    "purple": (130, 40, 160),
    "brown": (120, 70, 30),
    "pink": (250, 130, 190),
}
_NUMBERS = {name: number for number, name in enumerate(COLOURS)}
Point = tuple[int, int]


class Canvas:
    def __init__(self, width: int, height: int) -> None:
        # Two pixels share a byte.
        self.width, self.height = width + width % 2, height
        self._rows = [bytearray(self.width) for _ in range(height)]

    def url(self) -> str:
        data = base64.b64encode(png(self._rows, list(COLOURS.values()))).decode()
        return f"data:image/png;base64,{data}"

    def dot(self, x: int, y: int, colour: str) -> None:
        if 0 <= x < self.width and 0 <= y < self.height:
            self._rows[y][x] = _NUMBERS[colour]

    def box(self, x: int, y: int, width: int, height: int, colour: str) -> None:
        for row in range(y, y + height):
            for column in range(x, x + width):
                self.dot(column, row, colour)

    def frame(self, x: int, y: int, width: int, height: int, colour: str) -> None:
        for at in (y, y + height - 1):
            self.box(x, at, width, 1, colour)
        for at in (x, x + width - 1):
            self.box(at, y, 1, height, colour)

    def disc(self, x: int, y: int, radius: int, colour: str) -> None:
        for row in range(-radius, radius + 1):
            for column in range(-radius, radius + 1):
                if row * row + column * column <= radius * radius:
                    self.dot(x + column, y + row, colour)

    def polygon(self, points: list[Point], colour: str) -> None:
        """A convex one, whichever way round it is given."""
        edges = list(zip(points, points[1:] + points[:1], strict=True))
        for y in range(min(y for _, y in points), max(y for _, y in points) + 1):
            for x in range(min(x for x, _ in points), max(x for x, _ in points) + 1):
                sides = [(bx - ax) * (y - ay) - (by - ay) * (x - ax) for (ax, ay), (bx, by) in edges]
                if all(side >= 0 for side in sides) or all(side <= 0 for side in sides):
                    self.dot(x, y, colour)

    def line(self, start: Point, end: Point, colour: str, *, thickness: int = 2) -> None:
        (ax, ay), (bx, by) = start, end
        steps = max(abs(bx - ax), abs(by - ay), 1)
        for step in range(steps + 1):
            x, y = ax + (bx - ax) * step // steps, ay + (by - ay) * step // steps
            self.box(x - thickness // 2, y - thickness // 2, thickness, thickness, colour)

    def text(self, x: int, y: int, text: str, colour: str = "black", *, size: int = 2) -> None:
        for number, character in enumerate(text.upper()):
            for row, bits in enumerate(GLYPHS[character]):
                for column in range(5):
                    if bits >> (4 - column) & 1:
                        self.box(x + (number * ADVANCE + column) * size, y + row * size, size, size, colour)

    def centred(self, x: int, y: int, text: str, colour: str = "black", *, size: int = 2) -> None:
        width = (len(text) * ADVANCE - 1) * size
        self.text(x - width // 2, y - HEIGHT * size // 2, text, colour, size=size)
