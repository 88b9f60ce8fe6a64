"""From a request of the code harness to the specification of a run."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from http import HTTPStatus

from assay.api.caches import ApiCaches
from assay.api.dependencies import ApiServices
from assay.api.errors import ProblemError
from assay.api.harness.ids import required_item, required_model
from assay.api.runs.model_names import registered_name, require_known_models
from assay.api.schemas.harness import HarnessRunRequest
from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Generation
from assay.domain.errors import InvalidValueError
from assay.domain.run import RunSpec
from assay.engine.code_harness.options import Options
from assay.engine.code_harness.thinking import Thinking, benchmark_names


async def chosen_tasks(
    request: HarnessRunRequest, services: ApiServices, caches: ApiCaches
) -> tuple[tuple[str, ...], dict[str, str]]:
    """The named tasks, none for all of them, and those that are left out with the reason.

    Raises InvalidValueError if no task can be tested.
    """
    if request.tasks is not None:
        return tuple(dict.fromkeys(map(required_item, request.tasks))), {}
    # Elsewhere the workers are other machines.
    known = (await caches.code_tasks.get()).tasks if services.executor is not None else ()
    left_out = {one.id: one.reason for one in known if one.reason is not None}
    if not left_out:
        return (), {}
    tasks = tuple(one.id for one in known if one.id not in left_out)
    if not tasks:
        raise InvalidValueError(f"no task can be tested here: {'; '.join(dict.fromkeys(left_out.values()))}")
    return tasks, left_out


async def harness_run_spec(
    request: HarnessRunRequest, tasks: Sequence[str], services: ApiServices
) -> RunSpec:
    """Without tasks, of all; raises InvalidValueError and UnknownNameError for what cannot be run."""
    is_asked = request.response_text is None
    spec = RunSpec(
        models=await known_models(request.models, services) if is_asked else _named(request.models),
        benchmarks=_benchmarks(request),
        samples=request.samples,
        generation=Generation(temperature=request.temperature, max_tokens=request.max_tokens),
        items=tuple(map(ItemId, tasks)),
    )
    return spec if request.response_text is None else await _replayed(spec, request.response_text, services)


async def known_models(names: Sequence[str], services: ApiServices) -> tuple[str, ...]:
    """Each once, by its own name; raises UnknownNameError."""
    models = tuple([await registered_name(name, services, field="models") for name in _named(names)])
    await require_known_models(models, services.models)
    return models


def _named(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(required_model, names)))


def _benchmarks(request: HarnessRunRequest) -> tuple[str, ...]:
    return benchmark_names(
        Options(
            include_tests=request.include_tests,
            allow_incomplete_diffs=request.allow_incomplete_diffs,
            allow_rewrite_fallback=request.allow_diff_rewrite_fallback,
            provider=request.provider,
        ),
        Thinking(
            request.thinking_level,
            include_variants=request.include_thinking_variants,
            sweep=request.sweep_thinking_levels,
        ),
    )


async def _replayed(spec: RunSpec, reply: str, services: ApiServices) -> RunSpec:
    """The same with a model that answers with the given reply."""
    if any(len(one) != 1 for one in (spec.models, spec.items, spec.benchmarks)) or spec.samples != 1:
        raise InvalidValueError(
            "response_text: a given reply is graded once: name one task, one model and one thinking level"
        )
    if services.keep_reply is None:
        detail = "this server has no folder to keep a given reply in"
        raise ProblemError(HTTPStatus.NOT_IMPLEMENTED, detail, code="no-replies")
    [model] = spec.models
    return replace(spec, models=(await asyncio.to_thread(services.keep_reply, model, reply),))
