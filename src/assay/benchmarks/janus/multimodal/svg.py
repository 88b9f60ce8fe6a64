"""The shapes of an SVG drawing that a model wrote: nothing is rendered, and nothing is fetched."""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote
from xml.etree import ElementTree as Xml

from assay.benchmarks.janus.multimodal.geometry import SvgError, Transform, numbers_in, path_points

_MOST_CHARACTERS = 100_000
_MOST_ELEMENTS = 2_000
_MOST_DEPTH = 40
_DATA_URL = re.compile(
    r"data:image/svg\+xml(?:;charset=[\w-]+)?(?:;base64,(?P<base64>[\w+/=]+)|,(?=%3csvg))", re.IGNORECASE
)
_QUOTED_END = re.compile("%3c(?:/|%2f)svg%3e", re.IGNORECASE)
_ELEMENT = re.compile(r"<svg[\s>].*</svg\s*>", re.DOTALL | re.IGNORECASE)
_INHERITED = ("fill", "stroke", "stroke-width", "visibility")
_ACROSS, _DOWN = ("x", "x1", "x2", "cx", "rx", "width"), ("y", "y1", "y2", "cy", "ry", "height")
_NOT_DRAWN = frozenset({"title", "desc", "metadata", "defs"})
_SHAPES = frozenset({"circle", "ellipse", "rect", "line", "polygon", "polyline", "path", "text"})
_HEX = re.compile(r"#(?:[0-9a-f]{3}|[0-9a-f]{6})")
_RGB = re.compile(r"rgba?\( ?(\d{1,3}%?)[, ]+(\d{1,3}%?)[, ]+(\d{1,3}%?)(?:[,/ ]+(?:1(?:\.0)?|100%))? ?\)")
COLOURS: Mapping[str, str] = {
    "black": "#000000", "white": "#ffffff", "red": "#ff0000", "lime": "#00ff00", "blue": "#0000ff",
    "yellow": "#ffff00", "green": "#008000", "orange": "#ffa500", "purple": "#800080", "brown": "#a52a2a",
    "gray": "#808080", "grey": "#808080", "navy": "#000080", "teal": "#008080", "pink": "#ffc0cb",
    "gold": "#ffd700", "maroon": "#800000", "olive": "#808000", "aqua": "#00ffff", "cyan": "#00ffff",
    "magenta": "#ff00ff", "fuchsia": "#ff00ff", "silver": "#c0c0c0",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shape:
    """One visible shape, in the coordinates of the drawing; colours as `#rrggbb`, or None."""

    kind: str
    points: tuple[tuple[float, float], ...]
    fill: str | None
    stroke: str | None
    text: str = ""

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom."""
        xs, ys = zip(*self.points, strict=True)
        return min(xs), min(ys), max(xs), max(ys)


@dataclass(frozen=True, slots=True)
class Drawing:
    view: tuple[float, float, float, float]
    shapes: tuple[Shape, ...]


def svg_in(reply: str) -> str | None:
    """The markup, in a fence or not, or what a data URL of the reply holds."""
    found = _DATA_URL.search(reply[: 4 * _MOST_CHARACTERS])
    if found is None:
        element = _ELEMENT.search(reply) if len(reply) <= _MOST_CHARACTERS else None
        return element[0] if element else None
    try:
        if found["base64"] is None:
            end = _QUOTED_END.search(reply, found.end())
            return unquote(reply[found.end() : end.end()]) if end else None
        return base64.b64decode(found["base64"], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def parsed_drawing(markup: str) -> Drawing:
    """Raises SvgError for what is not well-formed, too large, or uses more of SVG than the prompt allows."""
    if len(markup) > _MOST_CHARACTERS:
        raise SvgError(f"the drawing has more than {_MOST_CHARACTERS:,} characters")
    if "<!" in re.sub(r"<!--.*?-->", "", markup, flags=re.DOTALL):
        # Entities are declared there: they could grow without bound, or name files.
        raise SvgError("the drawing has a declaration, such as a document type")
    try:
        # Half a surrogate pair has no place in XML.
        text = markup.encode("utf-8", "replace").decode()
        root = Xml.fromstring(text)  # noqa: S314 - small, and without declarations there are no entities
    except Xml.ParseError as error:
        raise SvgError(f"the drawing is not well-formed: {error}") from error
    if _local(root.tag) != "svg":
        raise SvgError(f"the drawing is no <svg> but <{_local(root.tag)[:30]}>")
    if sum(1 for _ in root.iter()) > _MOST_ELEMENTS:
        raise SvgError("the drawing has too many elements")
    view = _view(root)
    _resolve_percentages(root, view[2] - view[0], view[3] - view[1])
    shapes = tuple(_drawn(root, {}, Transform(), depth=0))
    return Drawing(view, tuple(_seen(shapes, view)))


def _view(root: Xml.Element) -> tuple[float, float, float, float]:
    box = root.get("viewBox")
    if box is None:
        return 0.0, 0.0, _length(root.get("width")), _length(root.get("height"))
    numbers = numbers_in(box)
    if len(numbers) != 4:  # noqa: PLR2004
        raise SvgError("viewBox must have four numbers")
    return numbers[0], numbers[1], numbers[0] + numbers[2], numbers[1] + numbers[3]


def _resolve_percentages(root: Xml.Element, width: float, height: float) -> None:
    wholes = {**dict.fromkeys(_ACROSS, width), **dict.fromkeys(_DOWN, height)}
    for element in root.iterfind(".//*"):
        for name in wholes.keys() & element.keys():
            value = element.get(name, "")
            if value.endswith("%"):
                element.set(name, str(_length(value) * wholes[name] / 100))


def _drawn(
    element: Xml.Element, inherited: Mapping[str, str], transform: Transform, *, depth: int
) -> Iterator[Shape]:
    if depth > _MOST_DEPTH:
        raise SvgError("the drawing has too many groups in each other")
    for child in element:
        name = _local(child.tag)
        if name in _NOT_DRAWN:
            continue
        style = _style(child, inherited)
        if style.get("display") == "none":
            continue
        moved = transform.then(child.get("transform", ""))
        if name == "g":
            kept = {key: style[key] for key in _INHERITED if key in style}
            yield from _drawn(child, kept, moved, depth=depth + 1)
        elif name in _SHAPES:
            yield from _shape(name, child, style, moved)
        else:
            raise SvgError(f"<{name[:30]}> is not among the elements that the task allows")


def _style(element: Xml.Element, inherited: Mapping[str, str]) -> dict[str, str]:
    own = {_local(name): value.strip() for name, value in element.attrib.items()}
    declared = (one.partition(":") for one in own.pop("style", "").split(";"))
    return {**inherited, **own, **{name.strip(): value.strip() for name, colon, value in declared if colon}}


def _shape(
    name: str, element: Xml.Element, style: Mapping[str, str], transform: Transform
) -> Iterator[Shape]:
    fill = None if name == "line" else _colour(style.get("fill", "black"))
    stroke = _colour(style.get("stroke", "none"))
    if _length(style.get("stroke-width", "1")) <= 0:
        stroke = None
    for key in ("opacity", "fill-opacity", "stroke-opacity"):
        opacity = _length(style.get(key, "1"))
        if 0 < opacity < 1:
            raise SvgError(f"{key} is not among the attributes that the task allows")
        if opacity == 0:
            fill = fill if key == "stroke-opacity" else None
            stroke = stroke if key == "fill-opacity" else None
    hidden = style.get("visibility") in ("hidden", "collapse") or (fill is None and stroke is None)
    if name == "text":
        first = next((part for part in element if part.get("x")), element)
        style = {"x": first.get("x", "0"), "y": first.get("y", "0"), **style}
    kind, points = _outline(name, style)
    text = "".join(element.itertext()).strip() if name == "text" else ""
    if points and not hidden:
        yield Shape(kind, tuple(map(transform.moved, points)), fill, stroke, text)


def _outline(name: str, style: Mapping[str, str]) -> tuple[str, list[tuple[float, float]]]:
    """The kind of the shape, and the points that its box is of."""

    def of(key: str) -> float:
        return _length(style.get(key, "0"))

    match name:
        case "circle" | "ellipse":
            rx, ry = (of("r"), of("r")) if name == "circle" else (of("rx"), of("ry"))
            left, right, top, bottom = of("cx") - rx, of("cx") + rx, of("cy") - ry, of("cy") + ry
            kind = "circle" if rx == ry else "ellipse"
            return kind, [(left, top), (right, bottom)] if rx > 0 < ry else []
        case "rect":
            right, bottom = of("x") + of("width"), of("y") + of("height")
            corners = [(of("x"), of("y")), (right, of("y")), (right, bottom), (of("x"), bottom)]
            return "rectangle", corners if of("width") > 0 < of("height") else []
        case "line":
            return "line", [(of("x1"), of("y1")), (of("x2"), of("y2"))]
        case "text":
            return "text", [(of("x"), of("y"))]
        case "path":
            points = path_points(style.get("d", ""))
        case _:
            numbers = numbers_in(style.get("points", ""))
            points = list(zip(numbers[::2], numbers[1::2], strict=False))
    return _polygon_kind(points), points


def _polygon_kind(points: list[tuple[float, float]]) -> str:
    corners = list(dict.fromkeys(points))
    xs, ys = {x for x, _ in corners}, {y for _, y in corners}
    if len(corners) == 4 and len(xs) == len(ys) == 2:  # noqa: PLR2004
        return "rectangle"
    return {2: "line", 3: "triangle"}.get(len(corners), f"polygon of {len(corners)}")


def _seen(shapes: tuple[Shape, ...], view: tuple[float, float, float, float]) -> Iterator[Shape]:
    """Without what lies outside of the picture, or wholly under a later rectangle."""
    covers: list[tuple[float, float, float, float]] = []
    seen: list[Shape] = []
    for shape in reversed(shapes):
        left, top, right, bottom = shape.box
        is_outside = right < view[0] or bottom < view[1] or left > view[2] or top > view[3]
        if not is_outside and not any(_holds(cover, shape.box) for cover in covers):
            seen.append(shape)
        if shape.kind == "rectangle" and shape.fill is not None:
            covers.append(shape.box)
    yield from reversed(seen)


def _holds(outer: tuple[float, float, float, float], inner: tuple[float, float, float, float]) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]


def _colour(value: str) -> str | None:
    plain = " ".join(value.lower().split())
    if plain in ("none", "transparent"):
        return None
    if _HEX.fullmatch(plain):
        return plain if len(plain) == len("#rrggbb") else "#" + "".join(2 * digit for digit in plain[1:])
    if match := _RGB.fullmatch(plain):
        return "#" + "".join(f"{_channel(one):02x}" for one in match.groups())
    return COLOURS.get(plain, plain[:30])


def _channel(text: str) -> int:
    share = int(text.removesuffix("%"))
    return min(255, round(share * 2.55) if text.endswith("%") else share)


def _length(value: str | None) -> float:
    numbers = numbers_in((value or "0").removesuffix("px").removesuffix("%"))
    return numbers[0] if len(numbers) == 1 else 0.0


def _local(name: str) -> str:
    return name.rpartition("}")[2]
