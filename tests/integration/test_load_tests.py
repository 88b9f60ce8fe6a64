"""Load tests from the command line to the API."""

import asyncio
import signal
from collections.abc import Generator
from pathlib import Path
from urllib.request import urlopen

import orjson
import pytest

from assay.adapters.store.stores import open_stores
from assay.cli.exit_codes import EXIT_ENDPOINT, EXIT_INTERRUPTED
from assay.domain.load import LoadTest
from assay.engine.stores.load_tests import LoadTestPage
from tests.integration.cli import TIMEOUT_S, Assay, sim_server
from tests.integration.serving import client_of
from tests.load_tests import load_test
from tests.stores import memory_stores


@pytest.fixture
def assay(tmp_path: Path) -> Assay:
    return Assay(tmp_path / "home")


@pytest.fixture
def address(assay: Assay) -> Generator[str]:
    with sim_server(assay, "--behaviour", "ttft_ms=20&gap_ms=2") as base_url:
        yield base_url


def stored(assay: Assay) -> tuple[LoadTest, ...]:
    async def read() -> LoadTestPage:
        stores = await open_stores(f"sqlite:///{assay.home / 'assay.db'}")
        try:
            return await stores.load_tests.page(limit=10, offset=0)
        finally:
            await stores.close()

    return asyncio.run(read()).tests


def requests_of(address: str) -> int:
    with urlopen(f"{address.removesuffix('/v1')}/sim/stats") as response:  # noqa: S310  on loopback
        return orjson.loads(response.read())["requests"]


def test_a_load_test_is_printed_written_and_stored(assay: Assay, address: str) -> None:
    model = "openai-api/local/test/fixed?status=429&every=5"
    limits = (
        "--duration",
        "1",
        "--warm-up",
        "1",
        "--goodput",
        "e2e<60s",
        "--prompts",
        "mmlu_pro",
        "--arrivals",
        "constant",
    )
    found = assay.json("load", model, "--base-url", address, "--rate", "20,10..40", "-o", "out.json", *limits)
    assert found == orjson.loads((assay.home.parent / "out.json").read_bytes())
    step, *slices = found["levels"]
    assert (step["load"], step["is_slice"], len(slices)) == (20, False, 8)
    assert step["errors"] == {"rate-limited": step["due"] - step["answered"]}
    assert step["good"] == step["answered"] > 0
    assert step["latency"]["ttft_ms"]["p50"] >= step["latency"]["ttft_sent_ms"]["p50"] >= 20
    assert found["ending"] == "finished"
    assert found["requests"] == 1 + sum(level["due"] for level in found["levels"])
    [test] = stored(assay)
    assert (test.id, len(test.levels)) == (found["id"], len(found["levels"]))


def test_a_stopped_load_test_keeps_what_it_measured(assay: Assay, address: str) -> None:
    asked = ("load", "openai-api/local/test/fixed", "--base-url", address, "--concurrency", "1,2")
    with assay.start(*asked, "--duration", "600", "--max-requests", "1000000") as process:
        while requests_of(address) < 20:
            assert process.poll() is None, assay.log.read_text()
        process.send_signal(signal.SIGINT)
        assert process.wait(TIMEOUT_S) == EXIT_INTERRUPTED
    [newest] = stored(assay)
    assert newest.ending == "interrupted"
    assert newest.levels[0].answered > 0


def test_a_bad_address_ends_the_test_before_it_begins(assay: Assay) -> None:
    code, message = assay.failure("load", "openai-api/x/y", "--base-url", "http://127.0.0.1:9/v1")
    assert code == EXIT_ENDPOINT
    assert "cannot be reached" in message
    assert stored(assay) == ()


async def test_the_api_lists_load_tests_and_shows_one() -> None:
    stores = memory_stores()
    await stores.load_tests.add(load_test())
    with client_of(stores) as client:
        listed = client.get("/api/load-tests", params={"limit": 10}).json()
        assert (listed["total"], len(listed["load_tests"])) == (1, 1)
        [short] = listed["load_tests"]
        assert (short["levels"], short["distorted_levels"], short["max_requests_per_s"]) == (3, 1, 2.0)
        shown = client.get(f"/api/load-tests/{load_test().id}").json()
        assert shown["spec"]["limits"]["budget"] == {"usd": 2.5, "tokens": 1_000_000}
        assert [level["load"] for level in shown["levels"]] == [2, 4, 8]
        assert shown["levels"][0]["lag"]["start_ms"]["p99"] == 1.5
        missing = client.get("/api/load-tests/nobody")
        assert (missing.status_code, missing.json()["code"]) == (404, "unknown-name")
