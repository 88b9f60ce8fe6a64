import json
import re
import sys
from typing import Any

import pytest

from assay.adapters.typesetting.pdf import render_pdf
from assay.domain.errors import MissingExtraError
from assay.engine.exports.content import run_content
from assay.engine.exports.report import report_document
from tests.exports import content_of, world
from tests.unit.engine.execution.test_stopping import GOOD, WEAK, Field, raced

pytest.importorskip("typst")
SIZES = {"a4": (595, 842), "us-letter": (612, 792)}


async def report(**changes: Any) -> dict[str, Any]:
    document = await report_document(await content_of(world(), samples=2))
    return json.loads(json.dumps(document)) | {"paper": "a4"} | changes


@pytest.mark.parametrize("paper", SIZES)
async def test_a_report_is_set_on_either_paper(paper: str) -> None:
    pdf = render_pdf(await report(paper=paper))
    boxes = re.findall(rb"MediaBox ?\[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    assert len(boxes) == 3, "title, one evaluation, provenance"
    assert {tuple(round(float(side)) for side in box) for box in boxes} == {SIZES[paper]}


async def test_the_same_report_gives_the_same_bytes() -> None:
    document = await report()
    assert render_pdf(document) == render_pdf(document)


async def test_names_are_text_and_never_markup() -> None:
    """Typst would stop at a bracket without its partner."""
    document = await report()
    odd = "#panic() ]*_`$<x> \\u{0} é 漢字"
    document["run"] |= {"models": [odd], "error": odd, "is_whole": False}
    document["sentences"] = document["notes"] = [odd]
    document["evaluations"][0] |= {
        "model": odd,
        "title": odd,
        "deviations": [odd],
        "error": odd,
        "warnings": [odd],
    }
    assert render_pdf(document).startswith(b"%PDF")


async def test_a_run_without_any_attempt_is_set_too() -> None:
    document = await report()
    document["evaluations"][0] |= {
        "score": None,
        "outcomes": [],
        "histograms": {},
        "latency": {},
        "metrics": {},
        "categories": {},
        "duration_s": None,
        "cut_share": None,
        "status": "failed",
    }
    assert render_pdf(document).startswith(b"%PDF")


async def test_without_the_extra_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(MissingExtraError, match=r"assay-benchmarks\[pdf\]"):
        render_pdf(await report())


async def test_a_race_is_set_with_its_sequences() -> None:
    engine, run, _ = await raced(Field({"m/good": GOOD, "m/weak": WEAK}))
    content = await run_content(engine.stores, engine.planner.catalogue, run.id, reveal=False)
    document = json.loads(json.dumps(await report_document(content))) | {"paper": "a4"}
    plain = render_pdf(document | {"race": None})
    assert len(render_pdf(document)) > len(plain)
    document["race"]["contests"][0] |= {"decided_after": None, "sequence": []}
    assert render_pdf(document).startswith(b"%PDF")
