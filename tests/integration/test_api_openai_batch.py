"""OpenAI's own client against our files and batches."""

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from openai import APIStatusError, AsyncOpenAI, BadRequestError, NotFoundError
from openai.types import Batch

from assay.api.app import create_app
from assay.api.dependencies import ApiServices
from assay.domain.registry import ListedModel
from assay.engine.models.retry import RetryPolicy
from tests.builders import rewired
from tests.integration.dataset_service import dataset_services, jsonl, working
from tests.integration.serving import served

URL = "/v1/chat/completions"


def request(custom_id: str, content: str, model: str = "sim/echo") -> dict[str, Any]:
    body = {"model": model, "messages": [{"role": "user", "content": content}], "temperature": 0.2}
    return {"custom_id": custom_id, "method": "POST", "url": URL, "body": body}


@pytest.fixture
def wired(tmp_path: Path) -> ApiServices:
    made = dataset_services(tmp_path)
    # A call that fails is not repeated: these tests do not wait for retries.
    return replace(made, engine=rewired(made.engine, retries=RetryPolicy(deadline_s=0.0)))


@pytest.fixture
async def client(wired: ApiServices) -> AsyncGenerator[AsyncOpenAI]:
    async with served(create_app(wired)) as session:
        address = str(session._base_url)  # pyright: ignore[reportPrivateUsage] # the only one who knows the port
        async with AsyncOpenAI(base_url=f"{address}/v1", api_key="any", max_retries=0) as opened:
            yield opened


async def created(client: AsyncOpenAI, lines: list[dict[str, Any]], **options: Any) -> Batch:
    file = await client.files.create(file=("in.jsonl", jsonl(lines)), purpose="batch")
    return await client.batches.create(
        input_file_id=file.id, endpoint=URL, completion_window="24h", **options
    )


async def ended(client: AsyncOpenAI, batch: Batch) -> Batch:
    async with asyncio.timeout(60):
        while batch.status in {"validating", "in_progress"}:
            await asyncio.sleep(0.02)
            batch = await client.batches.retrieve(batch.id)
    return batch


async def lines_of(client: AsyncOpenAI, file_id: str | None) -> list[dict[str, Any]]:
    assert file_id is not None
    content = await client.files.content(file_id)
    return [json.loads(line) for line in content.text.splitlines()]


async def test_a_batch_goes_in_is_polled_and_comes_out_in_order(
    client: AsyncOpenAI, wired: ApiServices
) -> None:
    lines = [request(f"r-{number}", f"hello {number}") for number in (3, 1, 2)]
    batch = await created(client, lines, metadata={"team": "blue"})
    assert (batch.status, batch.output_file_id) == ("validating", None)
    async with working(wired.engine):
        batch = await ended(client, batch)
    assert (batch.status, batch.errors, batch.error_file_id) == ("completed", None, None)
    assert batch.request_counts is not None
    assert batch.request_counts.model_dump() == {"total": 3, "completed": 3, "failed": 0}
    assert batch.metadata == {"team": "blue"}
    assert batch.usage is not None
    assert batch.usage.total_tokens == batch.usage.input_tokens + batch.usage.output_tokens > 0
    short = await client.batches.retrieve(f"batch_{batch.id[6:14]}_0")
    assert short.id == batch.id, "a run's id may be shortened"
    output = await lines_of(client, batch.output_file_id)
    assert [one["custom_id"] for one in output] == ["r-3", "r-1", "r-2"]
    assert output[0]["error"] is None
    assert output[0]["response"]["status_code"] == 200
    body = output[0]["response"]["body"]
    assert body["choices"][0]["message"]["content"] == "hello 3"
    assert (
        body["usage"]["total_tokens"] == body["usage"]["prompt_tokens"] + body["usage"]["completion_tokens"]
    )
    assert batch.output_file_id is not None
    file = await client.files.retrieve(batch.output_file_id)
    content = (await client.files.content(batch.output_file_id)).content
    assert (file.purpose, file.bytes) == ("batch_output", len(content))


async def test_failures_come_out_in_a_file_of_their_own(client: AsyncOpenAI, wired: ApiServices) -> None:
    lines = [request(f"r-{number}", f"hello {number}") for number in range(20)]
    batch = await created(client, lines, metadata={"model": "sim/echo?error=0.5&seed=3"})
    async with working(wired.engine):
        batch = await ended(client, batch)
    assert batch.status == "completed"
    assert batch.request_counts is not None
    failed, completed = batch.request_counts.failed, batch.request_counts.completed
    assert failed > 0
    assert failed + completed == 20
    errors = await lines_of(client, batch.error_file_id)
    assert len(errors) == failed
    assert errors[0]["response"]["status_code"] == 500
    assert errors[0]["error"]["code"] == "server"
    both = errors + (await lines_of(client, batch.output_file_id) if completed else [])
    assert sorted(one["custom_id"] for one in both) == sorted(line["custom_id"] for line in lines)


async def test_batches_and_files_are_listed_page_by_page(client: AsyncOpenAI) -> None:
    made = [await created(client, [request("a", f"{number}")]) for number in range(3)]
    ids = [batch.id for batch in reversed(made)]
    assert [one.id async for one in client.batches.list(limit=2)] == ids
    files = [one.id async for one in client.files.list(limit=2)]
    assert sorted(files) == sorted(batch.input_file_id for batch in made)


async def test_a_batch_is_canceled_once(client: AsyncOpenAI) -> None:
    batch = await created(client, [request("a", "x")])
    batch = await client.batches.cancel(batch.id)
    assert (batch.status, batch.output_file_id) == ("cancelled", None)
    with pytest.raises(APIStatusError) as refused:
        await client.batches.cancel(batch.id)
    assert refused.value.status_code == 409
    assert "Cannot cancel a batch with status 'cancelled'." in refused.value.message
    await client.files.delete(batch.input_file_id)
    with pytest.raises(NotFoundError):
        await client.files.retrieve(batch.input_file_id)


async def test_what_is_wrong_is_told_as_the_client_expects(client: AsyncOpenAI) -> None:
    with pytest.raises(BadRequestError, match="this is a PDF document"):
        await client.files.create(file=("x.pdf", b"%PDF-1.7"), purpose="batch")
    with pytest.raises(APIStatusError, match="purpose"):
        await client.files.create(file=("x.jsonl", b'{"prompt": "x"}'), purpose="fine-tune")
    with pytest.raises(NotFoundError, match="no model prefix"):
        await created(client, [request("a", "x", model="nobody/x")])
    with pytest.raises(APIStatusError, match="a batch runs one model"):
        await created(client, [request("a", "x"), request("b", "x", model="sim/null")])
    for asked in ("batch_x", "batch_00000000_0"):
        with pytest.raises(NotFoundError):
            await client.batches.retrieve(asked)
    with pytest.raises(NotFoundError):
        await client.files.content("file-output-00000000_0")


async def test_the_models_of_the_service_are_listed(client: AsyncOpenAI, wired: ApiServices) -> None:
    listed = ListedModel("chutes", "Vendor/One", "One")
    await wired.stores.registry.register("chutes", [listed], at=wired.clock.now())
    names = [one.id async for one in client.models.list()]
    assert {"sim/echo", "chutes/Vendor/One"} < set(names)
    found = await client.models.retrieve("chutes/Vendor/One")
    assert (found.object, found.owned_by, found.created > 0) == ("model", "chutes", True)
    assert (await client.models.retrieve("Vendor/One")).id == "chutes/Vendor/One", "by its slug"
    with pytest.raises(NotFoundError, match="no model 'nobody'"):
        await client.models.retrieve("nobody")
