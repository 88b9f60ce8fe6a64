"""Data sets from the command line: added, run, killed, resumed, written out, compared."""

import csv
import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.integration.cli import Assay, sim_server

COUNT = 400


@pytest.fixture
def assay(tmp_path: Path) -> Assay:
    return Assay(tmp_path / "home")


def write_lines(path: Path, count: int) -> list[str]:
    """Ids in an order that is neither that of the alphabet nor of time."""
    ids = [f"id-{number * 7919 % count}" for number in range(count)]
    with path.open("w") as file:
        for custom_id in ids:
            body = {"messages": [{"role": "user", "content": f"About {custom_id}"}], "temperature": 0.1}
            print(json.dumps({"custom_id": custom_id, "body": body}), file=file)
    return ids


def stored_attempts(assay: Assay) -> int:
    with closing(sqlite3.connect(f"file:{assay.home / 'assay.db'}?mode=ro", uri=True)) as database:
        (count,) = database.execute("SELECT count(*) FROM attempts").fetchone()
    return int(count)


def test_a_killed_run_goes_on_and_every_line_is_answered_once_in_order(assay: Assay, tmp_path: Path) -> None:
    ids = write_lines(tmp_path / "mine.jsonl", COUNT)
    added = assay.json("datasets", "add", str(tmp_path / "mine.jsonl"))
    assert (added["benchmark"], added["count"], added["graded"]) == ("dataset:mine@1", COUNT, 0)
    with sim_server(assay, "--behaviour", "ttft_ms=40") as base_url:
        process = assay.start(
            "run", "openai-api/x/test/echo", "dataset:mine", "--base-url", base_url, "--max-connections", "8"
        )
        deadline = time.monotonic() + 60
        while stored_attempts(assay) < COUNT // 4:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.kill()
        process.communicate(timeout=60)
        done = stored_attempts(assay)
        assert 0 < done < COUNT
        [run] = assay.json("list")["runs"]
        resumed = assay("resume", run["run_id"])
        assert resumed.returncode == 0, resumed.stderr
    written = tmp_path / "out.jsonl"
    assert assay("datasets", "results", run["run_id"], "--out", str(written)).returncode == 0
    lines = [json.loads(line) for line in written.read_text().splitlines()]
    assert [line["custom_id"] for line in lines] == ids
    assert all(line["response"]["status_code"] == 200 for line in lines)
    assert lines[3]["response"]["body"]["choices"][0]["message"]["content"] == f"About {ids[3]}"
    table = assay("datasets", "results", run["run_id"], "--format", "csv").stdout
    assert [row["custom_id"] for row in csv.DictReader(table.splitlines())] == ids


def test_two_models_are_compared_and_versions_kept(assay: Assay, tmp_path: Path) -> None:
    path = tmp_path / "caps.jsonl"
    path.write_text('{"prompt": "Paris", "expected": "Paris"}\n{"prompt": "x", "expected": "y"}\n')
    assay.json("datasets", "add", str(path))
    run = assay.json("run", "sim/oracle,sim/echo", "dataset:caps")
    assert [one["score"] for one in run["evaluations"]] == [1.0, 0.5]
    compared = assay.json("datasets", "compare", run["run_id"])
    assert compared["different"] == ["line-2"]
    assert compared["agreement"][0]["agreement_rate"] == 0.5
    path.write_text('{"prompt": "Rome"}\n')
    assert assay.json("datasets", "add", str(path))["version"] == 2
    assert [one["version"] for one in assay.json("datasets", "list")["datasets"]] == [2, 1]
    assert assay("datasets", "rm", "caps@2").returncode == 0
    assert assay.json("datasets", "show", "caps")["version"] == 1


def test_what_is_wrong_with_a_file_is_told_by_line(assay: Assay, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"prompt": 1}\n{"prompt": "x"\n')
    done = assay("datasets", "add", str(path))
    assert done.returncode == 2
    assert "line 2, line: is not JSON" in done.stderr
    assert "error: the file cannot be used: line 1, prompt: must be text" in done.stderr
    code, message = assay.failure("datasets", "add", str(tmp_path / "none.jsonl"))
    assert (code, "No such file" in message) == (2, True)
    code, message = assay.failure("run", "sim/null", "dataset:bad")
    assert (code, "no data set 'bad'" in message) == (2, True)


def test_a_table_is_added_by_the_names_of_its_columns(assay: Assay, tmp_path: Path) -> None:
    table = tmp_path / "sums.csv"
    table.write_text("question,answer\n2 + 2?,4\n")
    done = assay("run", "sim/good", str(table))
    assert done.returncode == 2
    assert f"`assay datasets add {table}`, then run dataset:sums" in done.stderr
    done = assay("datasets", "add", str(table))
    assert done.returncode == 2
    assert "name one of 'question', 'answer' with --prompt-field or --answer-field" in done.stderr
    fields = ("--prompt-field", "question", "--answer-field", "answer")
    told = assay.json("datasets", "add", str(table), "--grader", "number", *fields)
    assert (told["benchmark"], told["count"], told["graders"]) == ("dataset:sums@1", 1, {"number": 1})
