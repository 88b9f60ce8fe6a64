"""A pool of supervisors: started when first needed, reused, replaced when they fail."""

import asyncio
import os
from collections.abc import Callable
from dataclasses import asdict

from assay.adapters.sandbox.interpreters import runtime
from assay.adapters.sandbox.local.messages import Config
from assay.adapters.sandbox.session import LocalSession
from assay.adapters.sandbox.supervisor import Supervisor
from assay.domain.errors import SandboxError
from assay.domain.programs.sandbox import Confinement, Spec


class SlotPool:
    def __init__(
        self, config: Config, *, slots: int, confinement: Callable[[Supervisor], Confinement]
    ) -> None:
        self._config = config
        self._places = asyncio.Semaphore(slots)
        self._confinement = confinement
        self._idle: list[tuple[Spec, Supervisor]] = []
        self._all: set[Supervisor] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._is_closed = False

    async def open(self, spec: Spec) -> LocalSession:
        """Wait for a free slot and open a session in it."""
        await self._places.acquire()
        try:
            supervisor = await self._supervisor(spec)
            await self._prepare(supervisor, spec)
        except BaseException:
            self._places.release()
            raise
        return LocalSession(
            supervisor,
            spec,
            self._confinement(supervisor).of(spec),
            give_back=lambda one: self._take_back(spec, one),
        )

    async def close(self) -> None:
        self._is_closed = True
        self._idle.clear()
        await asyncio.gather(*(one.close() for one in self._all), *self._ending)
        self._all.clear()

    async def _supervisor(self, spec: Spec) -> Supervisor:
        """Prefers one that last served the same spec: its zygote is still running."""
        if self._is_closed:
            raise SandboxError("the sandbox is closed")
        if self._idle:
            same = next((n for n, (last, _) in enumerate(self._idle) if last == spec), -1)
            return self._idle.pop(same)[1]
        supervisor = await Supervisor.start(self._config)
        self._all.add(supervisor)
        return supervisor

    async def _prepare(self, supervisor: Supervisor, spec: Spec) -> None:
        # Without a mount namespace the slot's user must be able to execute the interpreter at its own path.
        is_public = os.getuid() == 0 and self._config["mode"] != "bubblewrap"
        python = await asyncio.to_thread(runtime, spec.python, is_public=is_public)
        order = {
            "limits": asdict(spec.limits),
            "mounts": [(one.source, one.inside) for one in (*python.mounts, *spec.mounts)],
            "links": list(python.links),
            "env": dict(spec.env),
            "has_network": spec.network == "on",
            "python": python.python,
            "preload": list(spec.preload),
        }
        try:
            await supervisor.ask("open", order)
        except BaseException:
            self._drop(supervisor)
            raise

    def _take_back(self, spec: Spec, supervisor: Supervisor) -> None:
        if supervisor.is_broken or self._is_closed:
            self._drop(supervisor)
        else:
            self._idle.append((spec, supervisor))
        self._places.release()

    def _drop(self, supervisor: Supervisor) -> None:
        self._all.discard(supervisor)
        task = asyncio.create_task(supervisor.close())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
