"""Endpoints on this machine in place of the providers and servers that the documents name."""

import asyncio
import threading
from collections.abc import Generator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass

from assay.adapters.models.providers import KNOWN
from assay.adapters.simserver.app import SimServerOptions, running
from tests.integration.vendors.anthropic import Anthropic
from tests.integration.vendors.gemini import Google
from tests.integration.vendors.responses import OpenAIResponses
from tests.integration.vendors.server import KEY, VendorServer

NATIVE = {"anthropic": Anthropic, "google": Google, "openai-responses": OpenAIResponses}


@dataclass(frozen=True)
class StandIns:
    """Addresses by the provider's prefix; `chat` is that of everything else."""

    chat: str
    native: dict[str, str]

    def variables(self) -> dict[str, str]:
        """Settings under which every provider is reached here, with a key."""
        found: dict[str, str] = {}
        for prefix, traits in KNOWN.items():
            name = prefix.upper().replace("-", "_")
            keys = traits.key_variables or (f"{name}_API_KEY",)
            addresses = traits.url_variables or (f"{name}_BASE_URL",)
            found[keys[0]] = KEY
            found.setdefault(addresses[0], self.native.get(prefix, self.chat))
        return found


@contextmanager
def stand_ins(models: tuple[str, ...]) -> Generator[StandIns]:
    """Serves until the block ends, from a thread with an event loop of its own."""
    ready: list[StandIns] = []
    is_ready, ended = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with AsyncExitStack() as stack:
            native = {
                prefix: await stack.enter_async_context(VendorServer(vendor()).listening())
                for prefix, vendor in NATIVE.items()
            }
            chat = await stack.enter_async_context(running(SimServerOptions(models=models)))
            ready.append(StandIns(chat, native))
            is_ready.set()
            await ended.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        assert is_ready.wait(60)
        yield ready[0]
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join()
        loop.close()
