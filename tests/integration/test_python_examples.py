"""The examples of the Python API run as they stand: the README's, and those of the guide as a notebook."""

import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from nbclient import NotebookClient

nbformat: Any = import_module("nbformat")  # its types are not complete
REPOSITORY = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


def examples(page: str) -> list[str]:
    found = [match["body"] for match in BLOCK.finditer((REPOSITORY / page).read_text(encoding="utf-8"))]
    assert found
    return found


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_examples_of_the_readme_run(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known: dict[str, Any] = {"__name__": "__main__"}
    for example in examples("README.md"):
        exec(compile(example, "README.md", "exec"), known)  # noqa: S102 # our own document
    assert "sim/good is better than local/pipeline on mmlu_pro" in capsys.readouterr().out
    assert (home / "report.html").read_text().startswith("<!doctype html>")


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """The blocks of the guide as the cells of a notebook, executed."""
    folder = tmp_path_factory.mktemp("notebook")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_HOME", str(folder / "home"))
        # Jupyter's own files.
        patch.setenv("IPYTHONDIR", str(folder / "ipython"))
        blank: dict[str, Any] = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
        sources = enumerate(examples("docs/how-to/use-from-python.md"))
        written: dict[str, Any] = {
            "cells": [{**blank, "id": f"block-{number}", "source": source} for number, source in sources],
            "metadata": {},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        notebook: Any = nbformat.reads(json.dumps(written), as_version=4)
        client = NotebookClient(
            notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
        )
        client.execute()
    return notebook.cells


def shown(cell: Any, kind: str) -> list[Any]:
    """What a cell has shown of a kind of output, or of a media type."""
    return [
        output.get("text") or output["data"].get(kind)
        for output in cell.outputs
        if output["output_type"] == kind or kind in output.get("data", {})
    ]


def test_the_guide_runs_as_a_notebook_and_shows_results_as_pictures(cells: list[Any]) -> None:
    pages = shown(cells[0], "text/html")
    assert '<progress value="20" max="20">' in pages[0], "live progress, in one output that is rewritten"
    assert "<svg" in pages[-1]
    assert "95 % interval" in pages[-1]
    assert not shown(cells[0], "stream")
    assert "local/pipeline (local code)" in shown(cells[2], "text/html")[-1]
    assert "file:letters" in shown(cells[4], "text/html")[-1]
    assert "is better than local/pipeline" in shown(cells[5], "text/html")[-1]


def test_a_notebook_awaits_the_async_twin_and_goes_on_with_runs(cells: list[Any]) -> None:
    assert "correct" in shown(cells[3], "text/plain")[-1]
    assert "".join(shown(cells[-2], "stream")).split() == ["paused", "4", "succeeded"]
    assert shown(cells[-1], "text/plain")[-1] == "True"
