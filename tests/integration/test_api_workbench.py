"""Webhooks, costs and the live progress of runs on data sets."""

import asyncio
import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from fastapi.testclient import TestClient

from assay.adapters.vault.fernet import FernetVault
from assay.adapters.webhooks.sender import send_webhook
from assay.api.app import create_app
from assay.api.dependencies import ApiServices
from assay.api.webhooks.delivery import RETRY_AFTER, deliver_next
from assay.domain.calls.pricing import Price
from assay.domain.errors import EndpointUnreachableError, StoreError
from assay.domain.registry import ListedModel
from assay.domain.run import RunId
from tests.builders import ManualClock, rewired
from tests.integration.dataset_service import dataset_services, executed, form, jsonl
from tests.integration.serving import client_for, served

LINES = jsonl([{"custom_id": str(number), "prompt": f"hello {number}"} for number in range(3)])
HOOK = "http://localhost:5000/done?token=canary"
SECRET = "canary-webhook-secret"  # noqa: S105 - a test value


@pytest.fixture
def wired(tmp_path: Path) -> ApiServices:
    made = dataset_services(tmp_path, webhook_secret="secret-of-the-server")  # noqa: S106
    return replace(made, engine=rewired(made.engine, vault=FernetVault(tmp_path / "secret.key")))


@pytest.fixture
def client(wired: ApiServices) -> TestClient:
    return client_for(create_app(wired))


def uploaded(client: TestClient) -> str:
    return client.post("/admin/datasets/upload", files=form(LINES)).json()["dataset_id"]


def batch(client: TestClient, **options: Any) -> Any:
    body = {
        "input_file_id": uploaded(client).replace("ds_", "file-"),
        "endpoint": "/v1/chat/completions",
        "completion_window": "24h",
        "model": "sim/echo",
    }
    return client.post("/v1/batches", json=body | options)


class Receiver:
    """Notes what it is sent, and answers with the next status; None means that it cannot be reached."""

    def __init__(self, *statuses: int | None) -> None:
        self.statuses = list(statuses)
        self.received: list[tuple[str, bytes, Mapping[str, str]]] = []

    async def send(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        self.received.append((url, body, headers))
        status = self.statuses.pop(0)
        if status is None:
            raise EndpointUnreachableError("the webhook could not be sent: TimeoutError")
        return status


@pytest.mark.parametrize("secret", [SECRET, None])
async def test_a_webhook_is_signed_and_sent_once_when_the_batch_has_ended(
    client: TestClient, wired: ApiServices, secret: str | None
) -> None:
    given = {"webhook": {"url": HOOK, "secret": secret}} if secret else {"metadata": {"webhook_url": HOOK}}
    made = (await asyncio.to_thread(batch, client, **given)).json()
    receiver = Receiver(204)
    assert await deliver_next(wired, receiver.send) is False, "not before the end"
    await executed(wired.engine, made["id"].split("_")[1])
    assert await deliver_next(wired, receiver.send) is True
    assert await deliver_next(wired, receiver.send) is False
    [(url, body, headers)] = receiver.received
    assert url == HOOK
    key = (secret or "secret-of-the-server").encode()
    signature = hmac.new(key, body, hashlib.sha256).hexdigest()
    assert headers["X-Webhook-Signature"] == f"sha256={signature}"
    sent = json.loads(body)
    assert json.dumps(sent, sort_keys=True).encode() == body
    assert (sent["id"], sent["status"], str(sent["sent_at"])) == (
        made["id"],
        "completed",
        headers["X-Webhook-Timestamp"],
    )
    assert sent["request_counts"] == {"total": 3, "completed": 3, "failed": 0}
    assert client.get(sent["output_file_url"]).status_code == 200


async def test_a_webhook_that_fails_is_tried_again_and_then_given_up(
    client: TestClient, wired: ApiServices
) -> None:
    made = (await asyncio.to_thread(batch, client, webhook={"url": HOOK})).json()
    await executed(wired.engine, made["id"].split("_")[1])
    clock = ManualClock()
    later = replace(wired, engine=rewired(wired.engine, clock=clock))
    await clock.sleep((wired.clock.now() - clock.now()).total_seconds() + 1)
    receiver = Receiver(500, None, 301, 404, 500)
    for wait in RETRY_AFTER:
        assert await deliver_next(later, receiver.send)
        assert not await deliver_next(later, receiver.send)
        await clock.sleep(wait.total_seconds())
    assert client.get("/v1/webhooks/dead-letter").json()["total"] == 0
    assert await deliver_next(later, receiver.send)
    await clock.sleep(timedelta(days=1).total_seconds())
    assert not await deliver_next(later, receiver.send)
    [lost] = client.get("/v1/webhooks/dead-letter").json()["data"]
    assert (lost["batch_id"], lost["attempts"], lost["webhook_host"]) == (made["id"], 5, "localhost:5000")
    assert lost["error_message"] == "the address answered with status 500"


async def test_a_fault_of_the_database_is_no_try_of_the_webhook(
    client: TestClient, wired: ApiServices
) -> None:
    made = (await asyncio.to_thread(batch, client, webhook={"url": HOOK})).json()
    run_id = RunId(made["id"].split("_")[1])
    await executed(wired.engine, run_id)

    async def send(*_: object) -> int:
        raise StoreError("the database at db.internal is away")

    with pytest.raises(StoreError):
        await deliver_next(wired, send)
    webhook = await wired.stores.webhooks.get(run_id)
    assert webhook is not None
    assert (webhook.tries, webhook.error) == (0, None)


def test_webhooks_go_only_where_the_policy_allows(client: TestClient, wired: ApiServices) -> None:
    for url in (
        "http://169.254.169.254/x",
        "https://evil.example",
        "file:///etc/passwd",
        "http://u:p@localhost",
    ):
        refused = batch(client, webhook={"url": url})
        assert (refused.status_code, "webhook.url" in refused.text) == (422, True)
    unsigned = client_for(create_app(replace(wired, webhook_secret=None)))
    assert "WEBHOOK_SECRET" in batch(unsigned, webhook={"url": HOOK}).text
    body = {
        "model_id": "sim/echo",
        "dataset_id": uploaded(client),
        "webhook": {"url": "https://evil.example"},
    }
    assert client.post("/admin/benchmarks/run", json=body).status_code == 422
    assert client.get("/api/runs").json()["total"] == 0


async def test_a_redirect_is_not_followed() -> None:
    seen: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        seen.append(request.path)
        raise web.HTTPTemporaryRedirect("/elsewhere")

    app = web.Application()
    app.router.add_post("/{path}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    assert await send_webhook(f"http://127.0.0.1:{port}/hook", b"{}", {}) == 307
    assert seen == ["/hook"]
    await runner.cleanup()
    with pytest.raises(EndpointUnreachableError, match="could not be sent"):
        await send_webhook(f"http://127.0.0.1:{port}/hook", b"{}", {})


async def test_the_workbench_streams_the_progress_of_runs(wired: ApiServices) -> None:
    async with served(create_app(wired)) as session:
        data = aiohttp.FormData()
        data.add_field("file", LINES, filename="capitals.jsonl")
        async with session.post("/admin/datasets/upload", data=data) as reply:
            dataset = (await reply.json())["dataset_id"]
        body = {"model_id": "sim/echo", "dataset_id": dataset}
        async with session.post("/admin/benchmarks/run", json=body) as reply:
            started = await reply.json()
        async with asyncio.timeout(60), session.ws_connect("/ws/workbench") as socket:
            first = await socket.receive_json()
            assert first["type"] == "progress"
            [job] = first["jobs"]
            assert (job["benchmark_id"], job["progress"], job["total"]) == (started["benchmark_id"], 0, 3)
            await executed(wired.engine, started["run_id"])
            while (await socket.receive_json())["jobs"]:
                pass
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await session.ws_connect("/ws/workbench", headers={"Origin": "https://evil.example"})


async def test_the_workbench_is_for_those_who_are_known(wired: ApiServices) -> None:
    async with served(create_app(replace(wired, needs_identity=True))) as session:
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await session.ws_connect("/ws/workbench")


async def test_costs_are_those_of_the_run(client: TestClient, wired: ApiServices) -> None:
    made = (await asyncio.to_thread(batch, client)).json()
    assert made["usage"]["total_tokens"] == 0
    await executed(wired.engine, made["id"].split("_")[1])
    ended = client.get(f"/v1/batches/{made['id']}").json()
    cost = client.get(f"/admin/workbench/cost/{made['id'].replace('batch_', 'bm_')}").json()
    assert cost["total_requests"] == 3
    assert cost["total_tokens"] == ended["usage"]["total_tokens"] > 0
    # The price of a simulated model is unknown, which is not the same as 0.
    assert cost["pricing"] == {"input_per_1m": None, "output_per_1m": None}
    assert {cost[name] for name in ("input_cost", "output_cost", "total_cost", "cost_per_request")} == {None}
    used = client.get("/admin/workbench/usage-summary").json()
    assert (used["total_jobs"], used["unpriced_jobs"], used["total_requests"]) == (1, 1, 3)
    assert used["total_tokens"] == cost["total_tokens"]
    assert list(used["by_model"]) == ["sim/echo"]
    nothing = {"start_date": "2100-01-01T00:00:00Z"}, {"end_date": "2000-01-01"}, {"model_id": "sim/null"}
    for query in nothing:
        assert client.get("/admin/workbench/usage-summary", params=query).json()["total_jobs"] == 0
    asked = {
        "model_id": "sim/good",
        "num_requests": 10,
        "avg_prompt_tokens": 100,
        "avg_completion_tokens": 50,
    }
    estimate = client.post("/admin/workbench/estimate-cost", json=asked).json()
    assert (estimate["total_tokens"], estimate["num_requests"]) == (1500, 10)
    alert = client.post("/admin/workbench/budget-alert", json={"budget_limit": 5.0}).json()
    assert (alert["status"], alert["alert"], alert["remaining"]) == ("ok", False, 5.0 - alert["current_cost"])


async def test_costs_follow_from_the_price_when_the_run_was_created(
    client: TestClient, wired: ApiServices
) -> None:
    listed = ListedModel("sim", "echo", "Echo", price=Price(Decimal(2), Decimal(8), "a list"))
    await wired.stores.registry.register("sim", [listed], at=wired.clock.now())
    made = (await asyncio.to_thread(batch, client)).json()
    await executed(wired.engine, made["id"].split("_")[1])
    cost = client.get(f"/admin/workbench/cost/{made['id'].replace('batch_', 'bm_')}").json()
    assert cost["pricing"] == {"input_per_1m": 2, "output_per_1m": 8}
    sent, received = cost["total_prompt_tokens"], cost["total_completion_tokens"]
    assert cost["input_cost"] == pytest.approx(sent * 2e-6)
    assert cost["output_cost"] == pytest.approx(received * 8e-6)
    total = cost["total_cost"]
    assert total == pytest.approx(cost["input_cost"] + cost["output_cost"])
    assert cost["cost_per_request"] == pytest.approx(total / 3)
    used = client.get("/admin/workbench/usage-summary").json()
    assert (used["unpriced_jobs"], used["by_model"]) == (0, {"sim/echo": pytest.approx(total)})
    for share, status in ((0.5, "ok"), (0.9, "warning"), (1.1, "critical")):
        alert = client.post("/admin/workbench/budget-alert", json={"budget_limit": total / share}).json()
        assert (alert["status"], alert["alert"]) == (status, status != "ok")
        assert alert["usage_pct"] == pytest.approx(share)
    asked = {"model_id": "echo", "num_requests": 10, "avg_prompt_tokens": 100, "avg_completion_tokens": 50}
    estimate = client.post("/admin/workbench/estimate-cost", json=asked).json()
    assert estimate["estimated_cost"] == pytest.approx(10 * (100 * 2e-6 + 50 * 8e-6))
