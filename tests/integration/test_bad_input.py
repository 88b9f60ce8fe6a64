"""What the service refuses, and that nothing of it is stored."""

import json
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

from tests.integration.cli import Assay, sim_server
from tests.integration.fleet import rows, wait_until
from tests.integration.test_up import up

ASKED: dict[str, Any] = {
    "model_id": "sim/good",
    "selected_benchmarks": ["mmlu_pro"],
    "subset_count": 2,
    "config": {"data": "demo"},
}
REFUSED: tuple[dict[str, object], ...] = (
    {"subset_count": None, "subset_pct": 0},
    {"subset_count": None, "subset_pct": 101},
    {"subset_count": 0},
    {"samples": -1},
    {"samples": "3"},
    {"samples": 1.5},
    {"model_id": ["sim/good"]},
    {"selected_benchmarks": "mmlu_pro"},
    {"selected_benchmarks": ["mmlu_por"]},
    {"config": {"data": "demo", "budget_usd": -1}},
    {"config": {"data": "demo", "budget_tokens": 0}},
    {"config": {"data": "demo", "temprature": 1}},
    {"config": []},
    {"unheard_of": 1},
)
UNKNOWN = (
    "/api/runs/unknown-run",
    "/api/runs/unknown-run/benchmarks/mmlu_pro",
    "/api/runs/unknown-run/events",
)


def sent(address: str, body: object = None, *, key: str | None = None) -> tuple[int, Any]:
    data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"} | ({"Idempotency-Key": key} if key else {})
    request = urllib.request.Request(address, data=data, headers=headers)  # noqa: S310 # our own server
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:  # noqa: S310
            return reply.status, json.loads(reply.read())
    except urllib.error.HTTPError as refused:
        return refused.code, json.loads(refused.read())


def sent_slowly(address: str, size: int) -> int:
    """The status for a body that comes long after its length."""
    url = urlsplit(address)
    connection = HTTPConnection(url.netloc, timeout=30)
    with closing(connection):
        connection.putrequest("POST", url.path)
        connection.putheader("Content-Length", str(size))
        connection.endheaders()
        for _ in range(4):
            time.sleep(0.1)
            connection.send(b" " * (size // 4))
        return connection.getresponse().status


def test_what_is_wrong_is_refused_with_its_reason(assay: Assay) -> None:
    with up(assay) as (_process, address):
        create = f"{address}/api/runs"
        for wrong in REFUSED:
            status, problem = sent(create, ASKED | wrong)
            assert (status, problem["status"]) == (422, 422), (wrong, problem)
            assert problem["errors"], wrong
        misspelt = sent(create, ASKED | {"selected_benchmarks": ["mmlu_por"]})[1]
        assert "mmlu_pro" in json.dumps(misspelt)
        assert sent(create, b"{")[0] == 400
        assert sent(create, b" " * 1_000_001)[0] == 413
        assert sent_slowly(f"{address}/api/runs", 4_000_000) == 413
        for path in UNKNOWN:
            assert sent(address + path)[0] == 404, path
        assert sent(f"{create}/unknown-run/cancel", {})[0] == 400
        assert sent(create, ASKED | {"model_id": "nobody/knows"})[0] == 404
        assert rows(assay, "SELECT count(*) FROM runs") == [(0,)]

        with ThreadPoolExecutor(8) as threads:
            asked = [threads.submit(sent, create, ASKED, key="once") for _ in range(8)]
        made = [one.result() for one in asked]
        assert {status for status, _run in made} == {201}
        assert len({run["id"] for _status, run in made}) == 1
        assert sent(create, ASKED | {"samples": 2}, key="once")[0] == 409
        assert rows(assay, "SELECT count(*) FROM runs") == [(1,)]


def test_a_model_that_the_endpoint_does_not_have_fails_at_once(assay: Assay) -> None:
    with sim_server(assay) as base_url, up(assay) as (_process, address):
        asked = ASKED | {"model_id": "vllm/test/no-such", "config": ASKED["config"] | {"base_url": base_url}}
        status, run = sent(f"{address}/api/runs", asked)
        assert status == 201
        wait_until(lambda: sent(f"{address}/api/runs/{run['id']}")[1]["status"] == "failed", within_s=60)
        failed = sent(f"{address}/api/runs/{run['id']}")[1]
        assert "has no model 'test/no-such'" in failed["error_message"]
        assert failed["progress"]["completed"] == 0
