"""Looks at everything that a run needs, so that nothing is found missing after its start."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.api.access.actor import Actor
from assay.api.dependencies import ApiServices
from assay.api.errors import ProblemError
from assay.api.runs.caller import caller_for
from assay.api.runs.model_names import registered_name
from assay.api.schemas.preflight import Preflight, PreflightCheck
from assay.api.schemas.run_request import RunConfig, RunRequest, parsed_judging
from assay.api.schemas.sandboxes import SandboxReport
from assay.domain.access.secret import Secret
from assay.domain.benchmark import Need
from assay.domain.datasets.dataset import DatasetRef, is_dataset
from assay.domain.errors import AssayError
from assay.domain.judging import Judging

# An endpoint that is silent for longer is as good as away.
_PATIENCE_S = 10.0

Role = Literal["model", "judge", "user_model"]


@dataclass(frozen=True, slots=True)
class Preflights:
    services: ApiServices
    actor: Actor
    sandboxes: Callable[[], Awaitable[SandboxReport]]

    async def of(self, request: RunRequest) -> Preflight:
        config = request.config or RunConfig()
        judge, user_model = parsed_judging(config.judge), parsed_judging(config.user_model)
        asked = [
            self._model("model", name, config.base_urls.get(name, config.base_url))
            for name in request.requested_models
        ]
        others: tuple[tuple[Role, Judging | None], ...] = ("judge", judge), ("user_model", user_model)
        for role, judging in others:
            asked += [self._model(role, name, judging.base_url) for name in judging.models] if judging else []
        found = await asyncio.gather(*asked)
        for name in request.requested_benchmarks or ():
            found += await self._benchmark(name.strip(), config.data, judge, user_model)
        return Preflight(checks=tuple(found), is_ready=all(one.is_ready for one in found))

    async def _model(self, role: Role, given: str, base_url: str | None) -> PreflightCheck:
        try:
            async with asyncio.timeout(_PATIENCE_S):
                where = await self._reached(given.strip(), base_url, is_callers=role == "model")
        except AssayError as error:
            message, is_ready = error.public_message, False
        except ProblemError as error:
            message, is_ready = str(error), False
        except TimeoutError:
            message, is_ready = f"its endpoint did not answer within {_PATIENCE_S:g} s", False
        else:
            message, is_ready = f"{where} answers", True
        return PreflightCheck(role=role, name=given, needs="endpoint", is_ready=is_ready, message=message)

    async def _reached(self, given: str, base_url: str | None, *, is_callers: bool) -> str:
        """The endpoint, after it has answered for the model."""
        name = given if base_url else await registered_name(given, self.services)
        if base_url is not None:
            self.services.endpoints.require_allowed(name, base_url)
        key: Secret | None = None
        if is_callers:
            key = (await caller_for([name], self.actor, self.services)).api_key
        client = self.services.models.open(name, base_url=base_url, api_key=key)
        try:
            await client.check()
        finally:
            await client.close()
        return client.endpoint

    async def _benchmark(
        self, name: str, data: str, judge: Judging | None, user_model: Judging | None
    ) -> Sequence[PreflightCheck]:
        def check(
            needs: Literal["data", "sandbox", "judge", "user_model"], fault: str | None, ready: str
        ) -> PreflightCheck:
            return PreflightCheck(
                role="benchmark", name=name, needs=needs, is_ready=fault is None, message=fault or ready
            )

        if is_dataset(name):
            return [check("data", await _fault(self._find_dataset(name)), "is here")]
        try:
            benchmark = self.services.catalogue.get(name)
        except AssayError as error:
            return [check("data", error.public_message, "")]
        library = self.services.engine.planner.library
        fault = await _fault(asyncio.to_thread(library.open, benchmark, data))
        found = [check("data", fault, "demo items" if data == "demo" else "is here")]
        needed = benchmark.card.needs
        if Need.SANDBOX in needed:
            sandboxes = await self.sandboxes()
            missing = None if sandboxes.selected else sandboxes.reason
            found.append(check("sandbox", missing, sandboxes.selected or ""))
        if Need.JUDGE in needed:
            found.append(check("judge", None if judge else "choose a judge", judge.label if judge else ""))
        if Need.USER_MODEL in needed:
            label = user_model.label if user_model else ""
            found.append(check("user_model", None if user_model else "choose the model of the user", label))
        return found

    async def _find_dataset(self, name: str) -> None:
        await self.services.stores.datasets.named(DatasetRef.parse(name))


async def _fault(work: Awaitable[object]) -> str | None:
    """Why it cannot be done, if it cannot."""
    try:
        await work
    except AssayError as error:
        return error.public_message
    return None
