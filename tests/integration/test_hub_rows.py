"""Data sets of the hub that no card names: fetched with the real huggingface_hub from a server of our own."""

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.adapters.datasets.hub import Hub
from assay.adapters.datasets.hub_rows import HubRows
from assay.domain.errors import DataChangedError, DataGatedError, DataMissingError, InvalidValueError
from assay.engine.one_file.files import HubSplit
from tests.integration.hub_server import HubServer, serving
from tests.unit.cli.conftest import CommandLine

COMMIT, LATER = "a" * 40, "b" * 40
TEST = HubSplit("example/facts", "test")
README = b"""---
configs:
- config_name: main
  data_files:
  - split: test
    path: main/test-*
  - split: train
    path: main/train-*
---
"""


def parquet(rows: list[dict[str, object]]) -> bytes:
    written = io.BytesIO()
    # pyarrow ships no types.
    pq.write_table(pa.Table.from_pylist(rows), written)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    return written.getvalue()


@pytest.fixture
def hub() -> Iterator[HubServer]:
    rows: list[dict[str, object]] = [{"question": f"{n} + 1 = ?", "answer": n + 1} for n in range(4)]
    files = {
        "README.md": README,
        "main/test-00000-of-00002.parquet": parquet(rows[:2]),
        "main/test-00001-of-00002.parquet": parquet(rows[2:]),
        "main/train-00000-of-00001.parquet": parquet(rows),
        "name.py": b"raise SystemExit",
    }
    with serving(HubServer("example/facts", COMMIT, files)) as server:
        yield server


def rows_of(hub: HubServer, folder: Path, *, offline: bool = False) -> HubRows:
    return HubRows(folder / "data", Hub(endpoint=hub.url, cache=folder / "cache", offline=offline))


def test_a_split_is_fetched_alone_and_its_commit_kept_to(hub: HubServer, tmp_path: Path) -> None:
    found = rows_of(hub, tmp_path).rows(TEST)
    assert [row["answer"] for row in found.rows] == [1, 2, 3, 4]
    assert found.revision == f"hf:example/facts@{COMMIT[:12]}/test"
    fetched = {name for name in hub.downloads if name in {path.rpartition("/")[2] for path in hub.files}}
    assert fetched == {"README.md", "test-00000-of-00002.parquet", "test-00001-of-00002.parquet"}
    hub.seen.clear()
    hub.revision = LATER
    assert rows_of(hub, tmp_path).rows(TEST) == found
    assert rows_of(hub, tmp_path, offline=True).rows(TEST) == found
    assert hub.seen == []
    newest = rows_of(hub, tmp_path).rows(HubSplit("example/facts", "test", None, "main"))
    assert newest.revision == f"hf:example/facts@{LATER[:12]}/test"


def test_a_file_that_was_changed_is_found_out(hub: HubServer, tmp_path: Path) -> None:
    rows_of(hub, tmp_path).rows(TEST)
    [path] = (tmp_path / "data").rglob("test-00000-of-00002.parquet")
    path.write_bytes(parquet([{"question": "?", "answer": 0}]))
    with pytest.raises(DataChangedError, match="is not the file that was fetched"):
        rows_of(hub, tmp_path).rows(TEST)


def test_what_cannot_be_fetched_says_why(hub: HubServer, tmp_path: Path) -> None:
    rows = rows_of(hub, tmp_path)
    for name in ("facts", "a/b/c", "../a", "org/..name"):
        with pytest.raises(InvalidValueError, match="name it as org/name"):
            rows.rows(HubSplit(name, "test"))
    with pytest.raises(DataMissingError, match="offline mode is on: unset HF_HUB_OFFLINE and start the run"):
        rows_of(hub, tmp_path, offline=True).rows(TEST)
    with pytest.raises(DataMissingError, match="the hub has no such file in example/none"):
        rows.rows(HubSplit("example/none", "test"))
    hub.revision = "../../etc"
    with pytest.raises(DataMissingError, match="names no commit"):
        rows.rows(TEST)
    hub.revision, hub.refusal = COMMIT, "gated"
    with pytest.raises(DataGatedError, match=r"accept its terms at .*/example/facts"):
        rows.rows(TEST)


@pytest.fixture
def assay(hub: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_ENDPOINT", hub.url)
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    return CommandLine()


def test_two_columns_become_a_data_set_that_is_run(assay: CommandLine) -> None:
    arguments = ("--prompt-field", "question", "--answer-field", "answer", "--grader", "number")
    run = assay.json("run", "sim/oracle", "hf:example/facts", *arguments)
    [evaluation] = run["evaluations"]
    assert evaluation["benchmark"] == "dataset:example--facts--test@1"
    assert (evaluation["score"], evaluation["scored"]) == (1.0, 4)
    [dataset] = assay.json("datasets", "list")["datasets"]
    assert COMMIT[:12] in dataset["file_name"]
    again = assay.json("run", "sim/oracle", "hf:example/facts", "--revision", "main", *arguments)
    assert again["evaluations"][0]["benchmark"] == "dataset:example--facts--test@1"


def test_what_is_said_of_columns_is_checked(assay: CommandLine) -> None:
    error = assay.error("run", "sim/oracle", "hf:example/facts", "--prompt-field", "query")
    assert "there is no column 'query'; it has question, answer" in error
    assert "holds the prompt: --prompt-field" in assay.error("run", "sim/oracle", "hf:example/facts")
    assert "no such data set is named" in assay.error("run", "sim/oracle", "ifeval", "--split", "train")


def test_a_file_may_name_rows_of_the_hub(assay: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "facts.py").write_text(
        "import assay\n\n"
        '@assay.benchmark(rows="hf:example/facts", prompt="{question}", expected="answer", grader="number")\n'
        "def facts(): ...\n"
    )
    task = {"task": "facts_2", "dataset_path": "example/facts", "dataset_name": "main", "test_split": "test"}
    task |= {"doc_to_text": "question", "doc_to_target": "{{answer}}", "fewshot_split": "train"}
    (tmp_path / "facts.yaml").write_text(json.dumps(task | {"num_fewshot": 2}))
    evaluations = assay.json("run", "sim/oracle", "./facts.py,./facts.yaml")["evaluations"]
    assert [one["score"] for one in evaluations] == [1.0, 1.0]
    assert evaluations[0]["data"]["revision"] == f"own:hf:example/facts@{COMMIT[:12]}/test"
