"""Holds a drawing against the shapes that a task asks for."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from assay.benchmarks.janus.multimodal.geometry import SvgError
from assay.benchmarks.janus.multimodal.svg import COLOURS, Drawing, Shape, parsed_drawing, svg_in
from assay.domain.benchmark import Grade
from assay.domain.outcome import Outcome
from assay.engine.graders.exact import normalised

Wanted = Mapping[str, Any]
_TOLERANCE = 4.0


def grade_drawing(reply: str, wanted: Wanted) -> Grade:
    """The share of wanted shapes and rules that hold; 0 for another size, halved if more is drawn."""
    markup = svg_in(reply)
    if markup is None:
        return Grade(Outcome.UNPARSED, 0.0, explanation="the reply has no SVG drawing")
    try:
        drawing = parsed_drawing(markup)
    except SvgError as error:
        return Grade(Outcome.INCORRECT, 0.0, extracted=markup[:5_000], explanation=str(error))
    score, faults = _compared(drawing, wanted)
    outcome = {0.0: Outcome.INCORRECT, 1.0: Outcome.CORRECT}.get(score, Outcome.PARTIAL)
    return Grade(outcome, score, markup[:5_000], "; ".join(faults) or "all that was asked for is drawn")


def _compared(drawing: Drawing, wanted: Wanted) -> tuple[float, list[str]]:
    width, height = wanted["view"]
    if drawing.view != (0, 0, width, height):
        return 0.0, [f"the drawing is not {width} by {height}"]
    left = [shape for shape in drawing.shapes if not _is_paper(shape, drawing)]
    found: list[Shape] = []
    faults: list[str] = []
    for one in wanted["shapes"]:
        match = next((shape for shape in left if _fits(shape, one)), None)
        if match is None:
            faults.append(f"missing: {_described(one)}")
            continue
        left.remove(match)
        found.append(match)
    if not found:
        return 0.0, faults
    rules: Sequence[str] = wanted.get("rules", ())
    is_whole = len(found) == len(wanted["shapes"])
    broken = [rule for rule in rules if not (is_whole and _RULES[rule](found))]
    faults += [f"not {rule.replace('_', ' ')}" for rule in broken]
    score = 1 - len(faults) / (len(wanted["shapes"]) + len(rules))
    if left:
        faults.append(f"{len(left)} more shapes are drawn")
        score /= 2
    return round(score, 4), faults


def _is_paper(shape: Shape, drawing: Drawing) -> bool:
    """A white rectangle that fills the picture; a task never asks for one."""
    return shape.kind == "rectangle" and shape.fill == COLOURS["white"] and shape.box == drawing.view


def _fits(shape: Shape, wanted: Wanted) -> bool:
    tolerance = wanted.get("tolerance", _TOLERANCE)
    left, top, right, bottom = shape.box
    facts: dict[str, Callable[[Any], bool]] = {
        "shape": lambda kind: _is_kind(shape, kind),
        "fill": lambda colour: shape.fill == _colour(colour),
        "stroke": lambda colour: shape.stroke == _colour(colour),
        "text": lambda text: normalised(shape.text) == normalised(text),
        "at": lambda at: _near(((left + right) / 2, (top + bottom) / 2), at, tolerance),
        "size": lambda size: _near((right - left, bottom - top), size, tolerance),
        "ends": lambda ends: any(
            all(_near(point, end, tolerance) for point, end in zip(shape.points, order, strict=False))
            for order in (ends, ends[::-1])
        ),
        "tolerance": lambda _: True,
    }
    return all(facts[key](value) for key, value in wanted.items())


def _is_kind(shape: Shape, kind: str) -> bool:
    left, top, right, bottom = shape.box
    if kind == "square":
        return shape.kind == "rectangle" and abs((right - left) - (bottom - top)) <= 1
    return shape.kind == kind


def _colour(name: str) -> str | None:
    return None if name == "none" else COLOURS[name]


def _near(one: Sequence[float], other: Sequence[float], tolerance: float) -> bool:
    return all(abs(a - b) <= tolerance for a, b in zip(one, other, strict=True))


def _described(wanted: Wanted) -> str:
    return ", ".join(f"{key} {value}" for key, value in wanted.items() if key != "tolerance")


def _centre(shape: Shape) -> tuple[float, float]:
    left, top, right, bottom = shape.box
    return (left + right) / 2, (top + bottom) / 2


def _size(shape: Shape) -> tuple[float, float]:
    left, top, right, bottom = shape.box
    return right - left, bottom - top


def _are_apart(shapes: Sequence[Shape]) -> bool:
    boxes = [shape.box for shape in shapes]
    return not any(
        a[0] <= b[2] and b[0] <= a[2] and a[1] <= b[3] and b[1] <= a[3]
        for number, a in enumerate(boxes)
        for b in boxes[:number]
    )


def _are_nested(shapes: Sequence[Shape]) -> bool:
    return all(
        o[0] < i[0] and o[1] < i[1] and o[2] > i[2] and o[3] > i[3]
        for o, i in pairwise(shape.box for shape in shapes)
    )


# Rules about all wanted shapes, in the order in which the task lists them.
_RULES: Mapping[str, Callable[[Sequence[Shape]], bool]] = {
    "apart": _are_apart,
    "nested": _are_nested,
    "one_size": lambda all_: all(_near(_size(a), _size(b), _TOLERANCE) for a, b in pairwise(all_)),
    "one_centre": lambda all_: all(_near(_centre(a), _centre(b), _TOLERANCE) for a, b in pairwise(all_)),
    "in_a_row": lambda all_: all(abs(_centre(a)[1] - _centre(b)[1]) <= _TOLERANCE for a, b in pairwise(all_)),
    "in_a_column": lambda all_: all(
        abs(_centre(a)[0] - _centre(b)[0]) <= _TOLERANCE for a, b in pairwise(all_)
    ),
    "on_one_ground": lambda all_: all(abs(a.box[3] - b.box[3]) <= _TOLERANCE for a, b in pairwise(all_)),
    "left_to_right": lambda all_: all(_centre(a)[0] < _centre(b)[0] for a, b in pairwise(all_)),
    "top_to_bottom": lambda all_: all(_centre(a)[1] < _centre(b)[1] for a, b in pairwise(all_)),
}
