"""Data sets over HTTP: uploaded, refused with reasons, listed, run, read, removed."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from assay.api.app import create_app
from assay.api.dependencies import ApiServices
from assay.engine.grading.offload import GradingPool
from assay.engine.grading.resources import GradingResources
from tests.builders import doubling_schema, rewired
from tests.integration.dataset_service import dataset_services, executed, form, jsonl
from tests.integration.serving import client_for

UPLOAD = "/admin/datasets/upload"
MULTIPART = "multipart/form-data; boundary=e"
LINES: list[dict[str, Any]] = [
    {"custom_id": "z/1", "body": {"messages": [{"role": "user", "content": "Capital of France?"}]},
     "expected": "Paris"},
    {"prompt": "2 + 2?", "expected": 4, "grader": "number"},
    {"custom_id": "a", "body": {"messages": [{"role": "user", "content": "Say something"}]}},
]  # fmt: skip


@pytest.fixture
def wired(tmp_path: Path) -> ApiServices:
    return dataset_services(tmp_path)


@pytest.fixture
def client(wired: ApiServices) -> TestClient:
    return client_for(create_app(wired))


def uploaded(client: TestClient, content: bytes, **fields: str) -> dict[str, Any]:
    response = client.post(UPLOAD, files=form(content), data=fields)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


async def finished(client: TestClient, wired: ApiServices, dataset_id: str, model: str) -> str:
    started = client.post("/admin/benchmarks/run", json={"model_id": model, "dataset_id": dataset_id})
    assert started.status_code == 200, started.text
    assert started.json().keys() >= {"benchmark_id", "status", "started_at"}
    await executed(wired.engine, started.json()["run_id"])
    benchmark_id: str = started.json()["benchmark_id"]
    return benchmark_id


def test_an_upload_answers_with_the_fields_of_the_contract_and_a_report(client: TestClient) -> None:
    content = b"\xef\xbb\xbf" + jsonl(LINES)
    found = uploaded(client, content, grader="exact")
    assert (found["name"], found["count"], found["graded"]) == ("capitals.jsonl", 3, 2)
    assert found["dataset_id"].startswith("ds_")
    assert found["benchmark"] == "dataset:capitals@1"
    assert found["graders"] == {"exact": 1, "number": 1}
    assert "byte order mark" in found["validation"]["warnings"][0]["reason"]
    assert [one["custom_id"] for one in found["validation"]["preview"]] == ["z/1", "line-2", "a"]
    [listed] = client.get("/admin/datasets").json()["datasets"]
    assert listed.keys() >= {"id", "name", "count", "uploaded_at"}
    assert listed["id"] == found["dataset_id"]
    assert client.get(f"/admin/datasets/{listed['id']}").json() == listed


def test_lines_and_warnings_can_be_looked_at_at_any_time(client: TestClient) -> None:
    long = {"prompt": "x" * 3_000, "expected": {"type": "object"}, "grader": "json_schema", "oddity": 1}
    found = uploaded(client, jsonl([*LINES, long]), grader="contains")
    path = f"/admin/datasets/{found['dataset_id']}/preview"
    first = client.get(path, params={"limit": 2}).json()
    assert (first["total"], first["warning_count"]) == (4, 1)
    assert first["warnings"] == found["validation"]["warnings"]
    assert first["lines"][0] == {
        "custom_id": "z/1", "model": None, "prompt": "Capital of France?", "expected": "Paris",
        "grader": "contains", "category": None, "is_cut": False,
    }  # fmt: skip
    assert [one["custom_id"] for one in first["lines"]] == ["z/1", "line-2"]
    [ungraded, cut] = client.get(path, params={"offset": 2}).json()["lines"]
    assert (ungraded["expected"], ungraded["grader"]) == (None, None)
    assert (len(cut["prompt"]), cut["is_cut"], cut["expected"]) == (2_000, True, '{"type": "object"}')
    assert client.get(path, params={"limit": 101}).status_code == 422
    assert client.get("/admin/datasets/ds_none/preview").status_code == 404


def test_the_same_file_again_is_the_same_and_another_is_the_next_version(client: TestClient) -> None:
    first = uploaded(client, jsonl(LINES))
    assert uploaded(client, jsonl(LINES))["dataset_id"] == first["dataset_id"]
    assert uploaded(client, jsonl(LINES[:1]))["version"] == 2
    assert uploaded(client, jsonl(LINES), name="others")["benchmark"] == "dataset:others@1"


def test_a_bad_file_is_refused_line_by_line_and_leaves_nothing(client: TestClient, tmp_path: Path) -> None:
    response = client.post(UPLOAD, files=form(b'{"prompt": 1}\nnonsense\n'))
    assert response.status_code == 400
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert problem["code"] == "bad-dataset"
    assert "line 1, prompt: must be text" in problem["message"]
    assert problem["validation"]["error_count"] == 2
    assert [one["line"] for one in problem["validation"]["errors"]] == [1, 2]
    assert client.get("/admin/datasets").json() == {"datasets": []}
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    "name", ['a"b.jsonl', "../../etc/passwd", "a\r\nX-Evil: 1.jsonl", "C:\\x\\y", "\U0001f30d\x07.jsonl", ""]
)
def test_file_names_are_harmless(client: TestClient, tmp_path: Path, name: str) -> None:
    body = (
        b'--edge\r\nContent-Disposition: form-data; name="file"; filename="'
        + name.replace("\r\n", "%0D%0A").replace('"', "%22").encode()
        + b'"\r\n\r\n'
        + jsonl(LINES)
        + b"\r\n--edge--\r\n"
    )
    headers = {"content-type": "multipart/form-data; boundary=edge"}
    response = client.post(UPLOAD, content=body, headers=headers)
    assert response.status_code == 200, response.text
    shown = response.json()["name"]
    assert shown.isprintable()
    assert "/" not in shown
    stored = {path.suffix for path in tmp_path.rglob("*") if path.is_file()}
    assert stored == {".jsonl", ".index"}
    assert all(len(path.stem) == 64 for path in (tmp_path / "datasets").glob("*/*.jsonl"))


@pytest.mark.parametrize(
    ("content", "kind", "status", "said"),
    [
        (b"{}", "application/json", 422, "multipart/form-data"),
        (b'--e\r\nContent-Disposition: form-data; name="x"\r\n\r\ny\r\n--e--\r\n', MULTIPART, 422, "no part"),
        (b'--e\r\nContent-Disposition: form-data; name="file"\r\n\r\n{"prom', MULTIPART, 400, "too early"),
        (b"nothing", MULTIPART, 400, "cannot be read"),
    ],
)  # fmt: skip
def test_requests_without_a_whole_file_are_refused(
    client: TestClient, tmp_path: Path, content: bytes, kind: str, status: int, said: str
) -> None:
    response = client.post(UPLOAD, content=content, headers={"content-type": kind})
    assert response.status_code == status, response.text
    assert said in response.json()["detail"]
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_fields_of_an_upload_are_checked(client: TestClient) -> None:
    response = client.post(UPLOAD, files=form(jsonl(LINES)), data={"grader": "vibes"})
    assert (response.status_code, response.json()["code"]) == (422, "invalid-request")
    response = client.post(UPLOAD, files=form(jsonl(LINES)), data={"name": "../x"})
    assert (response.status_code, response.json()["code"]) == (422, "invalid-value")


def test_uploads_have_a_limit_of_their_own(tmp_path: Path) -> None:
    client = client_for(create_app(dataset_services(tmp_path, upload_bytes=2_000_000)))
    lines = jsonl([{"prompt": "x" * 1_000_000}])
    assert client.post(UPLOAD, files=form(lines)).status_code == 200
    response = client.post(UPLOAD, files=form(lines * 2))
    assert (response.status_code, response.json()["code"]) == (413, "content-too-large")
    chunks = iter([b"--e\r\n", b"x" * 3_000_000])
    headers = {"content-type": "multipart/form-data; boundary=e"}
    assert client.post(UPLOAD, content=chunks, headers=headers).status_code == 413


async def test_a_run_lists_its_figures_and_gives_its_answers_in_order(
    client: TestClient, wired: ApiServices
) -> None:
    dataset_id = uploaded(client, jsonl(LINES))["dataset_id"]
    benchmark_id = await finished(client, wired, dataset_id, "sim/oracle")
    [row] = client.get("/admin/benchmarks").json()["benchmarks"]
    assert row.keys() >= {
        "benchmark_id", "model_id", "model_name", "dataset_id", "dataset_name", "status", "progress",
        "completed", "total", "throughput", "eta_seconds", "started_at",
    }  # fmt: skip
    assert (row["status"], row["progress"], row["completed"], row["total"]) == ("completed", 100, 3, 3)
    assert (row["dataset_name"], row["model_name"], row["score"]) == ("capitals.jsonl", "oracle", 1.0)
    assert row["throughput"] > 0
    assert client.get("/admin/benchmarks/active").json() == {"jobs": []}
    results = client.get(f"/admin/benchmarks/{benchmark_id}/results").json()
    assert results.keys() >= {"benchmark_id", "model_name", "dataset_name", "status", "total_time_seconds"}
    assert [one["custom_id"] for one in results["results"]] == ["z/1", "line-2", "a"]
    first = results["results"][0]["response"]
    assert first["status_code"] == 200
    assert first["body"]["choices"][0]["message"]["content"] == "Paris"
    page = client.get(f"/admin/benchmarks/{benchmark_id}/results", params={"limit": 1, "offset": 1}).json()
    assert [one["custom_id"] for one in page["results"]] == ["line-2"]


async def test_answers_are_downloaded_as_lines_and_as_a_table(client: TestClient, wired: ApiServices) -> None:
    dataset_id = uploaded(client, jsonl(LINES))["dataset_id"]
    benchmark_id = await finished(client, wired, dataset_id, "sim/oracle")
    response = client.get(f"/admin/benchmarks/{benchmark_id}/results.jsonl", params={"which": "output"})
    assert response.headers["content-disposition"].startswith("attachment; filename=")
    assert [json.loads(line)["custom_id"] for line in response.text.splitlines()] == ["z/1", "line-2", "a"]
    rows = list(csv.DictReader(client.get(f"/admin/benchmarks/{benchmark_id}/results.csv").text.splitlines()))
    assert [(row["custom_id"], row["outcome"], row["score"]) for row in rows] == [
        ("z/1", "correct", "1.0"), ("line-2", "correct", "1.0"), ("a", "answered", ""),
    ]  # fmt: skip
    failures = client.get(f"/admin/benchmarks/{benchmark_id}/results.jsonl", params={"which": "errors"})
    assert failures.text == ""


async def test_a_table_holds_no_formula_and_tells_what_was_escaped(
    client: TestClient, wired: ApiServices
) -> None:
    lines = [{"custom_id": "=1+1", "body": LINES[2]["body"], "expected": "@SUM(A1)"}, LINES[0]]
    dataset_id = uploaded(client, jsonl(lines))["dataset_id"]
    benchmark_id = await finished(client, wired, dataset_id, "sim/oracle")
    text = client.get(f"/admin/benchmarks/{benchmark_id}/results.csv").text
    first, second = csv.DictReader(text.splitlines())
    assert (first["custom_id"], first["answer"], first["expected"]) == ("'=1+1", "'@SUM(A1)", "'@SUM(A1)")
    assert {"custom_id", "answer", "expected"} <= set(first["escaped"].split())
    assert (second["answer"], second["escaped"]) == ("Paris", "")


async def test_rules_that_never_end_are_errors_of_their_lines_and_stop_nothing(tmp_path: Path) -> None:
    pool = GradingPool(timeout_s=5)
    wired = dataset_services(tmp_path)
    wired = replace(wired, engine=rewired(wired.engine, grading=GradingResources(pool)))
    client = client_for(create_app(wired))
    hostile = {"prompt": "JSON?", "expected": doubling_schema(), "grader": "json_schema"}
    try:
        dataset_id = uploaded(client, jsonl([hostile, *LINES]))["dataset_id"]
        await finished(client, wired, dataset_id, "sim/oracle")
    finally:
        pool.close()
    [row] = client.get("/admin/benchmarks").json()["benchmarks"]
    [evaluation] = client.get(f"/api/runs/{row['run_id']}").json()["evaluations"]
    assert evaluation["outcomes"] == {"correct": 2, "answered": 1, "grader_error": 1}
    assert row["status"] == "completed"


async def test_an_ungraded_data_set_succeeds_without_a_score(client: TestClient, wired: ApiServices) -> None:
    dataset_id = uploaded(client, jsonl(LINES[2:]))["dataset_id"]
    await finished(client, wired, dataset_id, "sim/refuse")
    [row] = client.get("/admin/benchmarks").json()["benchmarks"]
    assert (row["status"], row["score"], row["completed"], row["failed"]) == ("completed", None, 1, 0)
    detail = client.get(f"/api/runs/{row['run_id']}").json()
    assert detail["evaluations"][0]["outcomes"] == {"answered": 1}
    items = client.get(f"/api/runs/{row['run_id']}/benchmarks/{row['benchmark']}").json()
    assert items["summary"]["answered"] == 1
    assert (items["summary"]["incorrect"], items["items"]["items"][0]["error"]) == (0, None)


async def test_a_data_set_is_a_benchmark_like_any_other(client: TestClient, wired: ApiServices) -> None:
    first = uploaded(client, jsonl(LINES))
    asked = {"models": ["sim/oracle", "sim/null"], "selected_benchmarks": ["dataset:capitals"]}
    assert client.post("/api/runs/estimate", json=asked).status_code == 200
    run = client.post("/api/runs", json=asked).json()
    # A later upload changes nothing about a run that names no version.
    uploaded(client, jsonl(LINES[:1]))
    assert run["selected_benchmarks"] == [first["benchmark"]]
    assert (await executed(wired.engine, run["id"])).error is None
    result = client.get("/api/compare", params={"run": run["id"]}).json()
    assert result["comparisons"][0]["statistics"]["wins"] == 2
    listed = [one["name"] for one in client.get("/api/benchmarks").json()["benchmarks"]]
    assert {"letters", "dataset:capitals@2"} <= set(listed)
    assert (
        client.post("/api/runs", json=asked | {"selected_benchmarks": ["dataset:capital"]}).status_code == 404
    )


async def test_what_a_run_still_needs_is_not_removed(client: TestClient, wired: ApiServices) -> None:
    dataset_id = uploaded(client, jsonl(LINES))["dataset_id"]
    started = client.post("/admin/benchmarks/run", json={"model_id": "sim/null", "dataset_id": dataset_id})
    path = f"/admin/datasets/{dataset_id}"
    assert client.delete(path).json()["code"] == "conflict"
    benchmark_id = started.json()["benchmark_id"]
    assert [one["benchmark_id"] for one in client.get("/admin/benchmarks/active").json()["jobs"]] == [
        benchmark_id
    ]
    assert client.post(f"/admin/benchmarks/{benchmark_id}/cancel").status_code == 200
    assert client.post(f"/admin/benchmarks/{benchmark_id}/cancel").status_code == 400
    assert client.delete(path).json() == {"id": dataset_id, "deleted": True}
    assert client.get(path).status_code == 404
    row = client.get(f"/admin/benchmarks/{benchmark_id}").json()
    assert (row["status"], row["dataset_id"], row["dataset_name"]) == ("canceled", None, "dataset:capitals@1")


def test_unknown_names_are_told(client: TestClient) -> None:
    asked = {"model_id": "sim/null", "dataset_id": "ds_x"}
    assert client.post("/admin/benchmarks/run", json=asked).status_code == 404
    dataset_id = uploaded(client, jsonl(LINES))["dataset_id"]
    asked = {"model_id": "nobody/x", "dataset_id": dataset_id}
    assert client.post("/admin/benchmarks/run", json=asked).status_code == 404
    for path in ("bm_x", "bm_00000000-0_0", "x", "bm__0"):
        assert client.get(f"/admin/benchmarks/{path}/results").status_code == 404
