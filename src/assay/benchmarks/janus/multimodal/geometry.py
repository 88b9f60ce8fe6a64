"""Numbers, paths and transformations of SVG, as far as drawings of simple shapes need them."""

import math
import re
from dataclasses import dataclass

_NUMBER = re.compile(r"[-+]?(?:\d{1,12}(?:\.\d{0,12})?|\.\d{1,12})(?:[eE][-+]?\d{1,2})?")
_MOST_NUMBERS = 4_000
_LARGEST = 1e6
_FUNCTION = re.compile(r"(\w+)\s*\(([^)]*)\)")
_COMMAND = re.compile(r"([a-zA-Z])([^a-zA-Z]*(?:[eE][-+]?\d[^a-zA-Z]*)*)")
# How many numbers each command takes; curves and arcs are followed to where they end.
_TAKES = {"m": 2, "l": 2, "h": 1, "v": 1, "c": 6, "s": 4, "q": 4, "t": 2, "a": 7}


class SvgError(ValueError):
    """Says what a drawing has that is not allowed, or cannot be read."""


def numbers_in(text: str) -> list[float]:
    numbers = [float(found) for found in _NUMBER.findall(text)[: _MOST_NUMBERS + 1]]
    if len(numbers) > _MOST_NUMBERS or any(abs(one) > _LARGEST for one in numbers):
        raise SvgError(f"a list of numbers is longer than {_MOST_NUMBERS:,}, or one is above {_LARGEST:g}")
    return numbers


def path_points(path: str) -> list[tuple[float, float]]:
    """The points that a path passes through."""
    points: list[tuple[float, float]] = []
    x = y = 0.0
    for letter, text in _COMMAND.findall(path):
        takes = _TAKES.get(letter.lower())
        if letter in "zZ":
            x, y = points[0] if points else (0.0, 0.0)
            continue
        if takes is None:
            raise SvgError(f"a path has the unknown command {letter!r}")
        numbers = numbers_in(text)
        for start in range(0, len(numbers) - takes + 1, takes):
            x, y = _end(letter, numbers[start : start + takes], x, y)
            points.append((x, y))
    return points


def _end(letter: str, numbers: list[float], x: float, y: float) -> tuple[float, float]:
    is_relative = letter.islower()
    if letter in "hH":
        return (x + numbers[0] if is_relative else numbers[0]), y
    if letter in "vV":
        return x, (y + numbers[0] if is_relative else numbers[0])
    return (x + numbers[-2], y + numbers[-1]) if is_relative else (numbers[-2], numbers[-1])


@dataclass(frozen=True, slots=True)
class Transform:
    """x' = a x + c y + e and y' = b x + d y + f."""

    a: float = 1.0
    b: float = 0.0
    c: float = 0.0
    d: float = 1.0
    e: float = 0.0
    f: float = 0.0

    def moved(self, point: tuple[float, float]) -> tuple[float, float]:
        x, y = point
        return self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f

    def then(self, text: str) -> "Transform":
        """With the functions of a `transform` attribute applied before this one."""
        result = self
        for name, arguments in _FUNCTION.findall(text):
            result = result.of(_function(name, numbers_in(arguments)))
        return result

    def of(self, first: "Transform") -> "Transform":
        e, f = self.moved((first.e, first.f))
        return Transform(
            self.a * first.a + self.c * first.b,
            self.b * first.a + self.d * first.b,
            self.a * first.c + self.c * first.d,
            self.b * first.c + self.d * first.d,
            e,
            f,
        )


def _function(name: str, numbers: list[float]) -> Transform:
    match name, numbers:
        case "translate", [x, *rest]:
            return Transform(e=x, f=rest[0] if rest else 0.0)
        case "scale", [x, *rest]:
            return Transform(a=x, d=rest[0] if rest else x)
        case "rotate", [degrees, *rest]:
            turn = _turn(math.radians(degrees))
            if len(rest) < 2:  # noqa: PLR2004
                return turn
            x, y = rest[:2]
            return Transform(e=x, f=y).of(turn).of(Transform(e=-x, f=-y))
        case "matrix", [a, b, c, d, e, f]:
            return Transform(a, b, c, d, e, f)
        case _:
            raise SvgError(f"a transformation {name[:20]!r} with {len(numbers)} numbers cannot be read")


def _turn(angle: float) -> Transform:
    sine, cosine = math.sin(angle), math.cos(angle)
    return Transform(cosine, sine, -sine, cosine)
