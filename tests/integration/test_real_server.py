"""Assay against a server that others wrote: llama.cpp's, with a tiny model."""

import asyncio
import re
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from assay.adapters.models.client import ClientOptions
from assay.adapters.models.directory import HttpModelDirectory
from assay.domain.calls.messages import Completion, Generation, Prompt
from assay.domain.errors import RejectedError, UnauthorizedError
from assay.engine.ports import Request
from tests.integration.cli import Assay
from tests.integration.fleet import rows
from tests.integration.llama_server import CONTEXT, SLOTS

KEY = "sk-tiny"
MODEL = "openai-api/llama/tiny"
TOKENS = 24
SERVER = Path(__file__).with_name("llama_server.py")


@pytest.fixture(scope="module")
def base_url(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    folder = tmp_path_factory.mktemp("llama")
    with (folder / "log.txt").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, str(SERVER), str(folder), KEY], stdout=subprocess.PIPE, stderr=log, text=True
        )
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found, (folder / "log.txt").read_text()
        yield f"{found[0]}/v1"
    finally:
        process.kill()
        process.communicate()


async def asked(
    base_url: str,
    *prompts: str,
    stream: bool = True,
    key: str = KEY,
    tokens: int = TOKENS,
    model: str = MODEL,
) -> list[Completion]:
    """The answers to the prompts, all asked at once."""
    keys = {f"{name}_API_KEY": key for name in ("LLAMA", "LLAMACPP", "ANTHROPIC", "OPENAI")}
    directory = HttpModelDirectory(keys, options=ClientOptions(stream=stream))
    client = directory.open(model, base_url=base_url)
    generation = Generation(temperature=0.0, max_tokens=tokens)
    try:
        await client.check()
        return await asyncio.gather(
            *(client.complete(Request(Prompt.of_user(text), generation)) for text in prompts)
        )
    finally:
        await client.close()


async def test_a_streamed_answer_is_the_whole_one(base_url: str) -> None:
    [whole] = await asked(base_url, "Name a colour.", stream=False)
    [streamed] = await asked(base_url, "Name a colour.")
    assert streamed.answer == whole.answer != ""
    assert streamed.finish_reason == whole.finish_reason == "length"
    assert streamed.usage.output_tokens == whole.usage.output_tokens == TOKENS
    assert streamed.timing is not None
    assert streamed.timing.ttft_ms is not None


@pytest.mark.parametrize("prefix", ["llamacpp", "anthropic", "openai-responses"])
async def test_it_says_the_same_in_every_form_that_it_speaks(base_url: str, prefix: str) -> None:
    [expected] = await asked(base_url, "Name a colour.", stream=False)
    for stream in (True, False):
        [found] = await asked(base_url, "Name a colour.", stream=stream, model=f"{prefix}/tiny")
        assert (found.answer, found.usage.output_tokens) == (expected.answer, TOKENS)
        # Its responses are always completed.
        assert found.finish_reason == ("stop" if prefix == "openai-responses" else "length")
        assert found.timing is not None
        assert (found.timing.ttft_ms is not None) is stream


async def test_requests_at_once_do_not_cut_each_other(base_url: str) -> None:
    prompts = [f"Count to {number}." for number in range(3 * SLOTS)]
    answers = await asked(base_url, *prompts, tokens=120)
    assert {one.finish_reason for one in answers} == {"length"}
    assert {one.usage.output_tokens for one in answers} == {120}


async def test_a_prompt_beyond_the_context_is_the_servers_own_message(base_url: str) -> None:
    for stream in (True, False):
        with pytest.raises(RejectedError, match="context"):
            await asked(base_url, "word " * CONTEXT, stream=stream)


async def test_a_wrong_key_is_told(base_url: str) -> None:
    with pytest.raises(UnauthorizedError, match="LLAMA_API_KEY"):
        await asked(base_url, "hello", key="wrong")


def test_a_run_needs_no_call_twice_though_the_server_closes_kept_connections(
    base_url: str, tmp_path: Path
) -> None:
    assay = Assay(tmp_path / "home", (("LLAMA_API_KEY", KEY),))
    # The server ends a connection after its hundredth request.
    run = assay.json(
        "run", MODEL, "mmlu_pro:zero_shot", "--data", "demo", "--samples", "6", "--base-url", base_url,
        "--max-tokens", str(TOKENS), "--max-connections", "2",
    )  # fmt: skip
    [evaluation] = run["evaluations"]
    assert evaluation["scored"] == evaluation["total"] == 252
    assert rows(assay, "SELECT status, count(*) FROM calls GROUP BY status") == [(200, 252)]
