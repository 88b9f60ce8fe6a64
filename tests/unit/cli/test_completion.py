"""What the shell offers after Tab."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assay.cli.main import app
from assay.domain.registry import ListedModel
from assay.engine.stores import Stores
from tests.unit.cli.conftest import CommandLine, run_named


def offered(line: str) -> list[str]:
    """As bash asks for it where a colon does not end a word; the line ends where Tab was pressed."""
    variables = {
        "_ASSAY_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split(" ")) - 1),
    }
    return CliRunner(env=variables).invoke(app, [], prog_name="assay").stdout.split()


def test_runs_are_offered(assay: CommandLine) -> None:
    for start in ("aaaa0001", "abbb0001", "bbbb0001"):
        assay.add_run(run=run_named(start))
    assert sorted(offered("assay show a")) == ["aaaa0001", "abbb0001"]
    assert offered("assay compare aaaa0001 b") == ["bbbb0001"]
    assert offered("assay gate aaaa0001 --baseline ab") == ["abbb0001"]


@pytest.mark.usefixtures("assay")
def test_benchmarks_are_offered_and_their_variants_after_the_colon() -> None:
    assert offered("assay run sim/good ifeval,mmlu") == ["ifeval,mmlu_pro"]
    assert "mmlu_pro:zero_shot" in offered("assay data check mmlu_pro:")


def test_data_sets_are_offered(assay: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "caps.jsonl").write_text('{"prompt": "x"}\n')
    assay.printed("datasets", "add", "caps.jsonl")
    assert offered("assay run sim/good ifeval,d") == ["ifeval,dataset:caps"]
    assert offered("assay run sim/good dataset:c") == ["dataset:caps"]


@pytest.mark.usefixtures("assay")
def test_files_with_benchmarks_are_offered(tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    for name in ("capitals.py", "notes.txt", "tasks/sums.yaml"):
        (tmp_path / name).write_text("")
    assert offered("assay run sim/good ./cap") == ["./capitals.py"]
    assert offered("assay run sim/good ./t") == ["./tasks/"]
    assert offered("assay run sim/good ifeval,./tasks/") == ["ifeval,./tasks/sums.yaml"]
    assert offered("assay run sim/good ./none/") == []


def test_providers_and_models_of_the_registry_are_offered(assay: CommandLine) -> None:
    async def register(stores: Stores) -> None:
        listed = [ListedModel("openai", "gpt-4o", "GPT-4o"), ListedModel("openai", "o3", "o3")]
        await stores.registry.register("openai", listed, at=datetime.now(UTC))

    assay.stores(register)
    assert offered("assay run sim/go") == ["sim/good"]
    assert offered("assay run sim/good,opena") == [
        "sim/good,openai/",
        "sim/good,openai-responses/",
        "sim/good,openai-api/",
    ]
    assert offered("assay run openai/g") == ["openai/gpt-4o"]


def test_what_cannot_be_read_is_not_offered(assay: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    _ = assay
    monkeypatch.setenv("ASSAY_PORT", "many")
    assert offered("assay show a") == []
