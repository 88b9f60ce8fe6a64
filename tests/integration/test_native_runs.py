"""The command line with a model behind a vendor's own API."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.integration.cli import Assay
from tests.integration.fleet import rows
from tests.integration.vendors.anthropic import Anthropic
from tests.integration.vendors.server import KEY, Turn, VendorServer


async def printed(assay: Assay, *arguments: str) -> Any:  # tests look into it
    process = await asyncio.create_subprocess_exec(
        *assay.command([*arguments, "--json"]),
        env=assay.environment(),
        cwd=assay.home.parent,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, complaint = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 0, complaint.decode()
    return json.loads(output)


def counts(evaluation: Mapping[str, Any]) -> dict[str, int]:
    return {name: count for name, count in evaluation["outcomes"].items() if count}


async def test_a_run_through_the_messages_api_keeps_what_it_learns_but_no_key(tmp_path: Path) -> None:
    script = [Turn(thoughts=("Hm.",)), Turn(stop="refusal"), Turn(stop="max_tokens"), Turn()]
    server = VendorServer(Anthropic(), [*script])
    async with server.listening() as url:
        variables = (("ANTHROPIC_API_KEY", KEY), ("ANTHROPIC_BASE_URL", url))
        assay = Assay(tmp_path / "home", variables)
        run = await printed(
            assay, "run", "anthropic/a-model", "mmlu_pro:zero_shot", "--data", "demo", "--count", "4",
            "--max-connections", "1",
        )  # fmt: skip
    [evaluation] = run["evaluations"]
    # The first part of the name says which API was asked.
    assert evaluation["model"] == "anthropic/a-model"
    assert (evaluation["total"], counts(evaluation)["refused"], evaluation["truncated_share"]) == (4, 1, 0.25)
    assert [seen.body["max_tokens"] for seen in server.seen if seen.body] == [16_384] * 4
    facts = rows(assay, "SELECT endpoint FROM evaluations")
    assert facts == [(f"{url}/v1",)]
    used = rows(assay, "SELECT input_tokens, output_tokens, reasoning_tokens, cached_tokens FROM calls")
    assert sorted(used) == [(10, 20, 0, 3)] * 3 + [(10, 20, 12, 3)]
    files = [file for file in (tmp_path / "home").rglob("*") if file.is_file()]
    assert files
    assert not [file for file in files if KEY.encode() in file.read_bytes()]
