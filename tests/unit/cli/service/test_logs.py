import asyncio
import json
import logging
import sys
from pathlib import Path

import pytest

from assay.cli.service.logs import JsonFormatter, TextFormatter, known_secrets
from assay.domain.access.secret import redacted
from assay.domain.attempt import AttemptKey
from assay.domain.benchmark import ItemId
from assay.domain.run import EvaluationId, RunId
from assay.domain.shard import Shard, ShardId
from assay.engine.log_context import ATTEMPT, SHARD
from assay.settings import Settings

PLACE = Shard(ShardId("s1"), RunId("r1"), EvaluationId("e1"), start=0, stop=20)


def record(message: str, *arguments: object, broken: Exception | None = None) -> logging.LogRecord:
    exc_info = None
    if broken is not None:
        try:
            raise broken
        except type(broken):
            exc_info = sys.exc_info()
    made = logging.LogRecord("assay.x", logging.WARNING, __file__, 1, message, arguments, exc_info)
    made.created = 1_700_000_000.25
    return made


async def in_an_attempt(formatter: logging.Formatter, said: logging.LogRecord) -> str:
    async def work() -> str:
        SHARD.set(PLACE)
        ATTEMPT.set(AttemptKey(ItemId("q7"), 2))
        return formatter.format(said)

    return await asyncio.create_task(work())


async def test_a_json_line_says_when_where_and_what() -> None:
    line = await in_an_attempt(JsonFormatter(redacted), record("%d of %d\nleft", 3, 4))
    assert "\n" not in line
    assert json.loads(line) == {
        "time": "2023-11-14T22:13:20.250Z",
        "level": "WARNING",
        "logger": "assay.x",
        "message": "3 of 4\nleft",
        "run_id": "r1",
        "evaluation_id": "e1",
        "shard_id": "s1",
        "attempt": "q7/2",
    }


async def test_a_line_outside_of_any_work_names_none() -> None:
    await in_an_attempt(JsonFormatter(redacted), record("inside"))
    assert json.loads(JsonFormatter(redacted).format(record("outside"))).keys() == {
        *("time", "level", "logger", "message")
    }


async def test_a_text_line_names_the_place_before_the_traceback() -> None:
    line = await in_an_attempt(TextFormatter(redacted), record("odd", broken=ValueError("bad")))
    first, *rest = line.splitlines()
    assert first.endswith("WARNING assay.x: odd run_id=r1 evaluation_id=e1 shard_id=s1 attempt=q7/2")
    assert rest[-1] == "ValueError: bad"


@pytest.mark.parametrize("formatter", [JsonFormatter, TextFormatter])
def test_no_secret_is_written(formatter: type[JsonFormatter | TextFormatter]) -> None:
    def redact(text: str) -> str:
        return redacted(text, ["my secret"])

    said = record(
        "%s and %s",
        "my secret",
        "Authorization: Bearer abc.def",
        broken=ValueError("sk-0123456789 my secret"),
    )
    line = formatter(redact).format(said)
    assert line.count("[key]") == 4
    for hidden in ("my secret", "abc.def", "0123456789"):
        assert hidden not in line


def test_every_secret_of_the_settings_is_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VLLM_API_KEY", "key of vllm")
    monkeypatch.setenv("OTHER_API_KEY", "short")
    settings = Settings(
        database_url="postgresql://me:pass%20word@db/assay",
        hf_token="token of hf",  # noqa: S106
        admin_secret="admin secret",  # noqa: S106
        assay_secret_key="secret key",  # noqa: S106
    )
    found = known_secrets(settings)
    assert set(found) >= {"key of vllm", "pass word", "token of hf", "admin secret", "secret key"}
    assert "short" not in found
    assert list(found) == sorted(found, key=len, reverse=True)


@pytest.mark.parametrize("formatter", [JsonFormatter(redacted), TextFormatter(redacted)])
def test_control_characters_are_escaped(formatter: logging.Formatter) -> None:
    said = record("the server said \x1b[2J\x9b31m\u202e\r", broken=ValueError("\x1b]0;title\x07"))
    line = formatter.format(said)
    assert not set("\x1b\x9b\x07\u202e\r") & set(line)
    assert "u001b" not in line
    assert "x1b[2J" in line
