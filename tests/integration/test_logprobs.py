"""Log-probabilities on the wire: asked for, streamed and whole, in every form of requests."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.adapters.models.client import ClientOptions
from assay.adapters.models.directory import HttpModelDirectory
from assay.domain.calls.logprobs import Logprobs
from assay.domain.calls.messages import Completion, Generation
from assay.domain.errors import UnsupportedError
from assay.python_api.options import Options
from tests.integration.cli import Assay
from tests.integration.test_generation_options import Recorder, recorder
from tests.integration.test_native_formats import REQUEST, asked
from tests.integration.test_openai_chat_wire import SSE, RawServer, http
from tests.integration.vendors.anthropic import Anthropic
from tests.integration.vendors.gemini import Google
from tests.integration.vendors.responses import OpenAIResponses
from tests.integration.vendors.server import Turn, Vendor

__all__ = ["recorder"]

WANTED = replace(REQUEST, generation=Generation(logprobs=True))
SAID = [(" The", -0.5), (" answer", -1.5)]
FOUND = Logprobs(2, -1.0, -1.5)


def entries(*said: tuple[str, Any]) -> dict[str, Any]:
    return {"content": [{"token": token, "logprob": one, "top_logprobs": []} for token, one in said]}


def chat_reply(logprobs: list[Any], *, stream: bool) -> bytes:
    if not stream:
        whole = {"message": {"content": "hi"}, "finish_reason": "stop", "logprobs": logprobs[0]}
        return http(json.dumps({"choices": [whole]}).encode())
    choices: list[dict[str, Any]] = [{"delta": {"content": "hi"}, "logprobs": one} for one in logprobs]
    choices.append({"delta": {}, "finish_reason": "stop", "logprobs": None})
    return http(b"".join(f"data: {json.dumps({'choices': [one]})}\n\n".encode() for one in choices), SSE)


USELESS: list[Any] = [
    None,
    "none",
    [],
    {"content": None},
    {"content": {"token": "a", "logprob": -1.0}},
    {"content": [None, 1, "a", [[[]]], {"logprob": "-1"}, {"logprob": {}}, {"logprob": 3}]},
    entries(("a", float("nan")), ("b", float("-inf")), ("c", 10**400), ("d", True)),
]


async def chat(
    logprobs: list[Any], *, stream: bool, is_wanted: bool = True
) -> tuple[Completion, dict[str, Any]]:
    server = RawServer(chat_reply(logprobs, stream=stream))
    async with server.listening() as address:
        directory = HttpModelDirectory({}, options=ClientOptions(stream=stream))
        client = directory.open("vllm/m", base_url=f"http://{address}/v1")
        try:
            found = await client.complete(WANTED if is_wanted else REQUEST)
        finally:
            await client.close()
    return found, json.loads(server.requests[-1].partition(b"\r\n\r\n")[2])


@pytest.mark.parametrize("stream", [True, False])
async def test_chat_completions(*, stream: bool) -> None:
    pieces = [entries(one) for one in SAID] if stream else [entries(*SAID)]
    found, sent = await chat(pieces, stream=stream)
    assert sent["logprobs"] is True
    assert (found.logprobs, found.answer) == (FOUND, "hi" * len(pieces))


@pytest.mark.parametrize("stream", [True, False])
async def test_they_are_neither_asked_for_nor_read_unless_wanted(*, stream: bool) -> None:
    found, sent = await chat([entries(*SAID)], stream=stream, is_wanted=False)
    assert "logprobs" not in sent
    assert found.logprobs is None


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("sent", USELESS)
async def test_a_reply_without_usable_ones_is_a_reply(sent: Any, *, stream: bool) -> None:
    found, _ = await chat([sent], stream=stream)
    assert (found.answer, found.logprobs) == ("hi", None)


@pytest.mark.parametrize("stream", [True, False])
async def test_many_entries_become_three_figures(*, stream: bool) -> None:
    found, _ = await chat([entries(*SAID * 20_000)], stream=stream)
    assert found.logprobs == Logprobs(40_000, -1.0, -1.5)


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("vendor", [Google(), OpenAIResponses()], ids=lambda one: one.prefix)
async def test_vendors_own_forms(vendor: Vendor, *, stream: bool) -> None:
    turn = Turn(thoughts=() if vendor.prefix == "google" else ("Hm.",), logprobs=(-0.5, -1.5))
    async with asked(vendor, turn, Turn(), Turn(logprobs=("x", None)), stream=stream) as one:
        assert (await one.client.complete(WANTED)).logprobs == FOUND
        if vendor.prefix == "google":
            assert one.sent["generationConfig"] == {"responseLogprobs": True}
        else:
            assert one.sent["include"] == ["message.output_text.logprobs"]
        assert "logprobs" not in one.sent
        for _ in range(2):
            found = await one.client.complete(WANTED)
            assert (found.answer, found.logprobs) == ("The answer is (A).", None)


async def test_what_an_option_includes_stays() -> None:
    include = {"include": ["reasoning.encrypted_content"]}
    async with asked(OpenAIResponses()) as one:
        await one.client.complete(replace(WANTED, generation=Generation(logprobs=True, options=include)))
        assert one.sent["include"] == ["reasoning.encrypted_content", "message.output_text.logprobs"]


async def test_anthropic_is_asked_nothing() -> None:
    async with asked(Anthropic()) as one:
        assert "gives no log-probabilities: nothing was asked" in await one.fails(UnsupportedError, WANTED)
        assert one.server.seen == []


def test_a_run_stores_shows_and_exports_them(tmp_path: Path, recorder: Recorder) -> None:
    recorder.choice = {"logprobs": entries(*SAID)}
    assay = Assay(tmp_path / "home")
    document = assay.json(
        *("run", "vllm/one", "mmlu_pro", "--data", "demo", "--limit", "1", "--logprobs"),
        *("--base-url", recorder.url),
    )
    assert {body["logprobs"] for body in recorder.bodies} == {True}
    [evaluation] = document["evaluations"]
    assert (evaluation["generation"]["logprobs"], evaluation["with_logprobs"]) == (True, 1)
    run_id = document["run_id"]
    assert assay("export", run_id, "--format", "jsonl", "--out", "run.jsonl").returncode == 0
    rows = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    [row] = [one for one in rows if "item_id" in one]
    assert row["judge_output"]["details"]["logprobs"] == {"tokens": 2, "mean": -1.0, "lowest": -1.5}
    shown = assay("show", run_id, "--item", row["item_id"]).stdout
    assert "log-probabilities: mean -1.0, lowest -1.5, of 2 tokens" in shown


def test_python_asks_for_them_and_gives_them(
    tmp_path: Path, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "home"))
    recorder.choice = {"logprobs": entries(*SAID)}
    options = Options(data="demo", count=1, base_url=recorder.url, progress=False)
    asked_for: Options = {**options, "logprobs": True}
    [item] = assay.evaluate("vllm/one", "mmlu_pro", **asked_for).items()
    assert recorder.bodies[-1]["logprobs"] is True
    assert (item.logprob_mean, item.logprob_lowest) == (-1.0, -1.5)
    [item] = assay.evaluate("vllm/one", "mmlu_pro", **options).items()
    assert "logprobs" not in recorder.bodies[-1]
    assert (item.logprob_mean, item.logprob_lowest) == (None, None)
