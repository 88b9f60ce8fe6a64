"""Drawings are read as shapes, held against what was asked, and cannot do harm."""

import base64
import json
from typing import Any, cast
from urllib.parse import quote

import pytest

from assay.benchmarks.janus.multimodal.drawing import Wanted, grade_drawing
from assay.benchmarks.janus.multimodal.geometry import SvgError
from assay.benchmarks.janus.multimodal.svg import parsed_drawing, svg_in
from assay.benchmarks.janus.multimodal.task import benchmark
from assay.domain.outcome import Outcome

ITEMS = {
    item.id.removeprefix("janus_multimodal_"): item for item in benchmark.load(benchmark.demo_tables()).items
}
CIRCLE: dict[str, Any] = {
    "view": [200, 200],
    "shapes": [{"shape": "circle", "fill": "red", "at": [100, 100], "size": [80, 80]}],
}


def svg(body: str, *, view: str = "0 0 200 200") -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}">{body}</svg>'


RED = '<circle cx="100" cy="100" r="40" fill="red"/>'


@pytest.mark.parametrize(
    "body",
    [
        RED,
        '<circle cx="101" cy="99" r="41" fill="#f00"/>',
        '<circle cx="100" cy="100" r="40" style="fill: rgb(255, 0, 0); stroke: none"/>',
        '<ellipse cx="100" cy="100" rx="40" ry="40" fill="RED"/>',
        '<g fill="red" transform="translate(50 50)"><circle cx="50" cy="50" r="40"/></g>',
        '<g transform="scale(2)"><circle cx="50" cy="50" r="20" fill="#FF0000"/></g>',
        '<rect width="200" height="200" fill="white"/>' + RED,
        "<title>A circle</title><defs><circle r='9'/></defs>" + RED,
        RED + '<rect width="20" height="20" fill="none"/><rect width="0" height="9"/>',
        '<rect width="9" height="9" display="none"/><circle r="5" cx="900" fill="blue"/>' + RED,
        '<rect width="100%" height="100%" fill="white"/>' + RED,
        '<circle cx="50%" cy="50%" r="40" fill="rgb(100%, 0%, 0%)"/>',
        '<circle cx="100" cy="100" r="40" fill="rgba(255,0,0,1)" stroke="blue" stroke-opacity="0"/>',
        '<circle cx="100" cy="100" r="40" fill="rgb(255 0 0)"/>',
    ],
)
def test_the_same_drawing_in_other_words_is_right(body: str) -> None:
    assert grade_drawing(svg(body), CIRCLE).score == 1.0


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        (svg(RED.replace("red", "blue")), 0.0),
        (svg(RED.replace("40", "60")), 0.0),
        (svg(RED.replace('cx="100"', 'cx="60"')), 0.0),
        (svg(RED + RED.replace("red", "blue")), 0.5),
        (svg(RED + '<rect width="200" height="200" fill="white"/>'), 0.0),
        (svg(RED, view="0 0 100 100"), 0.0),
        (svg(RED.replace("/>", ' opacity="0"/>')), 0.0),
        (svg(RED.replace("circle", "use")), 0.0),
        (svg(RED.replace("fill", 'opacity="0.5" fill')), 0.0),
        (svg(""), 0.0),
        ("Here is a red circle of radius 40.", 0.0),
    ],
)
def test_other_drawings_are_not(reply: str, score: float) -> None:
    assert grade_drawing(reply, CIRCLE).score == score


def test_markup_is_found_in_fences_and_data_urls() -> None:
    markup = svg(RED)
    encoded = base64.b64encode(markup.encode()).decode()
    for reply in (
        markup,
        f"Sure:\n```svg\n{markup}\n```\nDone.",
        f'<?xml version="1.0"?>\n{markup}',
        f"![circle](data:image/svg+xml;base64,{encoded})",
        f"data:image/svg+xml,{quote(markup)}",
        f"data:image/svg+xml;charset=utf-8,{quote(markup)}",
        f"![circle](data:image/svg+xml,{quote(markup, safe=' /')}) as you asked",
        "![circle](data:image/svg+xml," + quote(markup.replace('"', "'"), safe="'= ") + ")",
    ):
        assert grade_drawing(reply, CIRCLE).score == 1.0, reply[:40]
    assert svg_in("data:image/svg+xml;base64,!!!") is None
    assert svg_in("an <svg> element") is None


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        ('x="10" y="10" width="180" height="80" fill="transparent"', '<text x="50%" y="50%">GATE 7</text>'),
        ('x="10" y="10" width="180" height="80" fill-opacity="0"', '<text x="60" y="58">Gate 7</text>'),
        ('x="5%" y="10%" width="90%" height="80%" fill="none"', '<text x="100" y="55">GATE 7</text>'),
        (
            'x="10" y="10" width="180" height="80" fill="none"',
            '<text><tspan x="100" y="55">GATE 7</tspan></text>',
        ),
    ],
)
def test_outlines_and_texts_are_read(frame: str, text: str) -> None:
    body = f'<rect {frame} stroke="black"/>{text}'
    sign = ITEMS["image_generation_12"].fields["evaluation"]
    assert grade_drawing(svg(body, view="0 0 200 100"), cast("Wanted", sign)).score == 1.0


ENTITIES = '<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'


@pytest.mark.parametrize(
    "reply",
    [
        ENTITIES + svg("<text>&b;</text>"),
        '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + svg("<text>&x;</text>"),
        svg("<![CDATA[<x>]]>" + RED),
        svg("<g>" * 20_000 + "</g>" * 20_000),
        svg("<g>" * 60 + RED + "</g>" * 60),
        svg(RED * 3_000),
        svg("<circle r='1e999' cx='1' cy='1' fill='red'/>"),
        svg("<polygon fill='red' points='" + "1,1 " * 20_000 + "'/>"),
        svg("<path fill='red' d='" + "M1 1L2 2" * 10_000 + "'/>"),
        svg("<path d='X 1 2'/>"),
        svg("<image href='http://example.invalid/x.png'/>"),
        svg("<circle r='1' transform='skewX(1)'/>"),
        svg("<circle r='" + "9" * 90_000 + "'/>"),
        svg(RED, view="1 2 3"),
        "<svg " * 19_000 + "</svg>",
        "<svg" * 25_000,
        "data:image/svg+xml,%3csvg" * 16_000,
        svg("<circle cx='1%'/>" * 5_000),
        "\x00<svg></svg>",
        svg("<text>\ud800</text>"),
    ],
    ids=range(20),
)
def test_hostile_drawings_are_graded_quickly_and_score_0(reply: str) -> None:
    grade = grade_drawing(reply, CIRCLE)
    assert grade.score == 0.0
    assert grade.outcome in (Outcome.INCORRECT, Outcome.UNPARSED)


def test_a_declaration_is_refused_before_anything_is_parsed() -> None:
    with pytest.raises(SvgError, match="declaration"):
        parsed_drawing(ENTITIES + svg(RED))


def test_shapes_are_told_apart_however_they_are_drawn() -> None:
    kinds = {
        '<path d="M10 10 H90 V50 H10 Z" fill="red"/>': "rectangle",
        '<path d="m10 10 l80 0 l-40 60 z" fill="red"/>': "triangle",
        '<polyline points="0,0 10,10" stroke="red" fill="none"/>': "line",
        '<polygon points="50,0 100,50 50,100 0,50" fill="red"/>': "polygon of 4",
        '<ellipse rx="5" ry="9" cx="50" cy="50" fill="red"/>': "ellipse",
        '<rect x="1" y="1" width="5" height="5" fill="red" transform="rotate(90 3 3)"/>': "rectangle",
    }
    for body, kind in kinds.items():
        (shape,) = parsed_drawing(svg(body)).shapes
        assert shape.kind == kind, body


def test_rules_hold_for_all_shapes_or_cost_their_share() -> None:
    squares = {"view": [200, 200], "shapes": [{"shape": "square"}] * 2, "rules": ["apart", "in_a_row"]}
    row, touching, column = (
        svg("".join(f'<rect x="{x}" y="{y}" width="20" height="20"/>' for x, y in places))
        for places in ([(10, 50), (60, 50)], [(10, 50), (20, 50)], [(10, 50), (10, 90)])
    )
    assert grade_drawing(row, squares).score == 1.0
    assert grade_drawing(touching, squares).score == 0.75
    assert grade_drawing(column, squares).score == 0.75
    one = svg('<rect x="5" y="5" width="20" height="20"/>')
    grade = grade_drawing(one, squares)
    assert (grade.score, grade.outcome) == (0.25, Outcome.PARTIAL)


def test_every_drawing_task_tells_its_example_from_those_of_the_others() -> None:
    drawings = {name: item for name, item in ITEMS.items() if name.startswith("image_generation")}
    assert len(drawings) == 20
    for name, item in drawings.items():
        wanted = item.fields["evaluation"]
        assert isinstance(wanted, dict)
        for other, example in drawings.items():
            score = grade_drawing(str(example.fields["expected_answer"]), wanted).score
            assert (score == 1.0) is (name == other), (name, other)
        assert grade_drawing(json.dumps(wanted), wanted).score == 0.0
