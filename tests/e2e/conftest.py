"""A real server, a real browser."""

import asyncio
import shutil
import socket
from collections.abc import Callable, Coroutine, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from threading import Thread
from typing import Protocol, TypeVar

import pytest
import uvicorn
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from assay.adapters.models.directory import HttpModelDirectory
from assay.adapters.store.memory import MemoryStore
from assay.api.app import create_app
from assay.api.dependencies import ApiServices
from assay.api.web import installed_ui
from assay.engine.catalogue import Catalogue
from tests.builders import CARD, LetterBenchmark, World
from tests.conftest import absent
from tests.e2e.seeded import seeded_store

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-background-networking",
    "--no-first-run",
)
TITLES = {"ifeval": ("IFEval", 0.0), "mmlu_pro": ("MMLU-Pro", 0.1)}

Serve = Callable[[MemoryStore], str]


T = TypeVar("T")


def finished(work: Coroutine[object, object, T]) -> T:
    """The result of asynchronous work, in a thread of its own: Playwright runs an event loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


@pytest.fixture
def store() -> MemoryStore:
    return finished(seeded_store(datetime.now(UTC)))


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts the API and the installed UI over a store, on a free port; gives the address of the UI."""
    if installed_ui() is None:
        absent("the web UI is not installed here; run `uv sync` without ASSAY_SKIP_UI_BUILD")
    with ExitStack() as servers:
        yield lambda store: servers.enter_context(_server(store)) + "/ui"


@contextmanager
def _server(store: MemoryStore) -> Generator[str]:
    cards = {
        name: LetterBenchmark(card=replace(CARD, name=name, title=title, chance=chance))
        for name, (title, chance) in TITLES.items()
    }
    engine = replace(World(store=store).engine, catalogue=Catalogue(cards))
    app = create_app(ApiServices(engine, HttpModelDirectory({}), version="1.2.3"))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        # The socket listens already, so a request made before the server is up waits for it.
        thread = Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        # The browser keeps its connections open; nothing is lost by not waiting for it to hang up.
        server.should_exit = server.force_exit = True
        thread.join(timeout=10)


# One browser per module, closed at its end: asynchronous tests elsewhere need an event loop of their own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        absent("no Chromium on this machine; on Debian: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


class OpenTab(Protocol):
    def __call__(self, *, width: int = ..., dark: bool = ..., may_complain: bool = ...) -> Page: ...


@pytest.fixture
def open_tab(browser: Browser) -> Iterator[OpenTab]:
    """Opens pages that fail the test on anything the browser complains about."""
    complaints: list[str] = []

    def listen(page: Page) -> None:
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None,
        )

    with ExitStack() as contexts:

        def opened(*, width: int = 1360, dark: bool = False, may_complain: bool = False) -> Page:
            size = ViewportSize(width=width, height=850)
            context = browser.new_context(viewport=size, color_scheme="dark" if dark else "light")
            contexts.callback(context.close)
            page = context.new_page()
            if not may_complain:
                listen(page)
            return page

        yield opened
    assert complaints == []


@pytest.fixture
def page(open_tab: OpenTab) -> Page:
    return open_tab()
