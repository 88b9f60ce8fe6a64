"""A real server, a real browser."""

import asyncio
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Coroutine, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Protocol, TypeVar

import pytest
import uvicorn
from fastapi import FastAPI
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from assay.adapters.models.directory import HttpModelDirectory
from assay.adapters.signing.ed25519 import is_signed_by
from assay.api.app import create_app
from assay.api.dependencies import ApiServices, ExportService
from assay.api.web import installed_ui
from assay.bootstrap import exporter, keyring
from assay.domain.run import State
from assay.engine.clock import SystemClock
from assay.engine.fleet.liveness import shown_as_executed
from assay.engine.planning.catalogue import Catalogue
from assay.engine.stores import Stores
from assay.engine.stores.runs import RunFilter
from assay.settings import Settings
from tests.builders import CARD, LetterBenchmark, World, rewired
from tests.conftest import absent
from tests.e2e.own_data import with_capitals
from tests.e2e.seeded import seeded_store
from tests.integration.cli import Assay, require_event_loop_not_blocked, sim_server

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

# What takes a moment on an idle machine may take long on one that runs other suites too.
expect.set_options(timeout=20_000)

Serve = Callable[[Stores], str]


T = TypeVar("T")


def finished(work: Coroutine[object, object, T]) -> T:
    """The result of asynchronous work, in a thread of its own: Playwright runs an event loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


@pytest.fixture
def store() -> Stores:
    return finished(seeded_store(datetime.now(UTC)))


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts the API and the installed UI over a store, on a free port; gives the address of the UI."""
    if installed_ui() is None:
        absent("the web UI is not installed here; run `uv sync` without ASSAY_SKIP_UI_BUILD")
    with ExitStack() as servers:
        yield lambda store: servers.enter_context(served_store(store)) + "/ui"


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """One server over the seeded runs, for the tests that only look; gives the address of the UI."""
    if installed_ui() is None:
        absent("the web UI is not installed here; run `uv sync` without ASSAY_SKIP_UI_BUILD")
    with served_store(finished(seeded_store(datetime.now(UTC)))) as address:
        yield f"{address}/ui"


@contextmanager
def served_store(store: Stores) -> Generator[str]:
    cards = {
        name: LetterBenchmark(card=replace(CARD, name=name, title=title, chance=chance))
        for name, (title, chance) in TITLES.items()
    }
    with TemporaryDirectory() as home:
        files, dataset = with_capitals(Path(home, "datasets"))
        finished(store.datasets.add(dataset))
        engine = rewired(
            World().engine,
            stores=store,
            clock=SystemClock(),
            catalogue=Catalogue(cards),
            dataset_files=files,
        )
        settings = Settings(assay_home=Path(home))
        desk = ExportService(exporter(settings), keyring(settings), is_signed_by)
        services = ApiServices(engine, HttpModelDirectory({}), version="1.2.3", export_service=desk)
        with _executed(store):
            yield from _served(create_app(services))


@contextmanager
def _executed(store: Stores) -> Generator[None]:
    """Show the queued and running runs of the store as executed by a process that is up."""
    is_ready, is_over = Event(), Event()

    async def execute() -> None:
        live = await store.runs.page(RunFilter(states=frozenset({State.QUEUED, State.RUNNING})))
        async with AsyncExitStack() as stack:
            for run in live.runs:
                await stack.enter_async_context(
                    shown_as_executed(store.fleet, run.id, clock=SystemClock(), every_s=5.0)
                )
            is_ready.set()
            while not is_over.is_set():
                await asyncio.sleep(0.1)

    thread = Thread(target=asyncio.run, args=(execute(),), daemon=True)
    thread.start()
    try:
        assert is_ready.wait(30)
        yield
    finally:
        is_over.set()
        thread.join(timeout=10)


def _served(app: FastAPI) -> Generator[str]:
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        # The socket listens already, so a request made before the server is up waits for it.
        thread = Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        # The browser keeps its connections open; nothing is lost by not waiting for it to hang up.
        server.should_exit = server.force_exit = True
        thread.join(timeout=10)


def browser_path() -> str:
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    return path or absent("no Chromium on this machine; on Debian: apt-get install chromium")


# One browser per module, closed at its end: asynchronous tests elsewhere need an event loop of their own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=FLAGS)
        yield browser
        browser.close()


class OpenTab(Protocol):
    def __call__(self, *, width: int = ..., dark: bool = ..., may_complain: bool = ...) -> Page: ...


@contextmanager
def started(home: Path, command: str, *variables: tuple[str, str]) -> Generator[str]:
    """`assay up` or `assay api` in a process of its own; gives the address."""
    if installed_ui() is None:
        absent("the web UI is not installed here; run `uv sync` without ASSAY_SKIP_UI_BUILD")
    # A UI that was built elsewhere is found where these tests found it.
    assay = Assay(home, (("PYTHONPATH", os.environ.get("PYTHONPATH", "")), *variables))
    log = home.with_suffix(".log")
    # A pipe that nobody reads would hold up the service once it is full.
    with log.open("w") as written:
        process = subprocess.Popen(
            assay.command([command, "--port", "0"]),
            env=assay.environment() | {"PYTHONUNBUFFERED": "1"},
            cwd=home.parent,
            stdout=written,
            stderr=subprocess.STDOUT,
        )
    try:
        yield _address(process, log)
    finally:
        process.terminate()
        process.wait(timeout=30)
    require_event_loop_not_blocked(log)


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if found := re.search(r" is up at (http://[^/\s]+)", log.read_text()):
            return found[1]
        time.sleep(0.05)
    pytest.fail(f"the service did not start:\n{log.read_text()}")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The whole service, with a slow test endpoint behind `vllm/`; gives the address."""
    folder = tmp_path_factory.mktemp("service")
    with (
        sim_server(Assay(folder / "sim"), "--behaviour", "ttft_ms=250&gap_ms=20") as base_url,
        started(folder / "home", "up", ("VLLM_BASE_URL", base_url)) as address,
    ):
        yield address


@pytest.fixture
def open_tab(browser: Browser, serve: Serve) -> Iterator[OpenTab]:
    """Opens pages that fail the test on anything the browser complains about."""
    _ = serve  # asked for so that tabs are closed before their server is
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
