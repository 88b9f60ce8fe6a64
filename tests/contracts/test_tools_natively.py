"""Benchmarks with tools, whose model is asked in the form of a vendor's own API."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from assay.adapters.models.directory import HttpModelDirectory
from assay.benchmarks.janus.tool_use.task import benchmark as janus
from assay.benchmarks.tau2_telecom.task import benchmark as telecom
from assay.domain.benchmark import Ask, Cue, Item, ItemSet, Services
from assay.domain.calls.messages import Completion, Generation, Prompt
from assay.engine.ports import Request
from tests.integration.vendors.anthropic import Anthropic
from tests.integration.vendors.gemini import Google
from tests.integration.vendors.responses import OpenAIResponses
from tests.integration.vendors.server import KEY, Turn, Vendor, VendorServer

every_vendor = pytest.mark.parametrize(
    "vendor", [Anthropic(), Google(), OpenAIResponses()], ids=lambda one: one.prefix
)
NO_CUE = Cue()
# With reasoning, so that the servers want it back, signed.
GENERATION = Generation(reasoning_effort="low")


def said(cue: Cue) -> Turn:
    calls = tuple((call.name, json.loads(call.arguments)) for call in cue.calls)
    return Turn((cue.right,) if cue.right else (), ("Hm.",), calls)


@dataclass
class Knowing:
    """A model behind a vendor's API that says what a benchmark's cue tells it."""

    server: VendorServer
    ask: Ask


@asynccontextmanager
async def knowing(vendor: Vendor) -> AsyncGenerator[Knowing]:
    server = VendorServer(vendor)
    async with server.listening() as url:
        client = HttpModelDirectory({vendor.key_variable: KEY}).open(
            f"{vendor.prefix}/{vendor.model}", base_url=url
        )

        async def ask(prompt: Prompt, *, cue: Cue = NO_CUE) -> Completion:
            server.script = [said(cue)]
            return await client.complete(Request(prompt, GENERATION))

        try:
            yield Knowing(server, ask)
        finally:
            await client.close()


@every_vendor
async def test_the_tools_of_janus_are_used_over_several_turns(vendor: Vendor) -> None:
    items = janus.load(janus.demo_tables())
    assert items.converse is not None
    chosen = [item for item in items.items if "tool_chaining" in item.id][:3]
    assert chosen
    async with knowing(vendor) as model:
        for item in chosen:
            completion = await items.converse(item, model.ask, Services())
            assert (await janus.grade(item, completion, Services())).score == 1.0
        assert len(model.server.seen) > 2 * len(chosen)


@dataclass
class Customer:
    """Plays the user of a conversation as the cue says."""

    model: str = "test/user"
    asked: list[Prompt] = field(default_factory=list[Prompt])

    async def ask(self, prompt: Prompt, *, generation: Generation, cue: Cue, vote: int = 0) -> Completion:
        del generation, vote
        self.asked.append(prompt)
        return Completion(cue.right or "", tool_calls=cue.calls)


@every_vendor
async def test_a_telecom_conversation_is_held(vendor: Vendor) -> None:
    items: ItemSet = telecom.load(telecom.demo_tables())
    assert items.converse is not None
    item: Item = items.items[0]
    services = Services(user_model=Customer())
    async with knowing(vendor) as model:
        completion = await items.converse(item, model.ask, services)
        assert (await telecom.grade(item, completion, services)).score == 1.0
        assert len(model.server.seen) >= 3
