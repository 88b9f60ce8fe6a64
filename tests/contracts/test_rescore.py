"""Every installed benchmark: an export of its demo items is proven, and graded the same again."""

import io
from dataclasses import replace
from pathlib import Path

import pytest

from assay.adapters.datasets.library import FileDataLibrary
from assay.adapters.models.directory import HttpModelDirectory
from assay.adapters.queue.memory import MemoryQueue
from assay.domain.benchmark import HasEnvironment, Need, Services
from assay.domain.errors import DataMissingError, SandboxError
from assay.domain.judging import Judging
from assay.domain.run import RunSpec, State, Subset
from assay.engine.clock import SystemClock
from assay.engine.execution.create import create_run
from assay.engine.execution.engine import Engine
from assay.engine.execution.run_loop import execute_run
from assay.engine.exports.content import run_content
from assay.engine.exports.verification.rescore import Rescorer
from assay.engine.grading.offload import GradingPool
from assay.engine.grading.resources import GradingResources
from assay.engine.identity.credentials import Credentials
from assay.engine.planner import Planner
from assay.engine.planning.catalogue import Catalogue
from assay.engine.sandbox.selected import SelectedSandbox
from tests.conftest import absent, prepared
from tests.exports import exported, verifier
from tests.stores import memory_stores

CATALOGUE = Catalogue.installed()
ITEMS = 12
# Programs take seconds to run, twice; variants of one benchmark run the same.
ITEMS_IN_SANDBOX = 1
# Those that run in containers have tests of their own, which start an engine.
NAMES = [
    name
    for name in CATALOGUE.names
    if Need.CONTAINERS not in CATALOGUE.get(name).card.needs
    and (":" not in name or Need.SANDBOX not in CATALOGUE.get(name).card.needs)
]
# Right about half of the time.
MODEL = "sim/weak"


@pytest.mark.parametrize("name", NAMES)
async def test_stored_answers_are_graded_as_they_were(
    name: str, code_services: Services, tmp_path: Path
) -> None:
    benchmark = CATALOGUE.get(name)
    if isinstance(benchmark, HasEnvironment):
        prepared(name, benchmark)
    needs = benchmark.card.needs
    sandbox = code_services.sandbox
    assert isinstance(sandbox, SelectedSandbox)
    library, pool, store = FileDataLibrary(tmp_path), GradingPool(), memory_stores()
    engine = Engine(
        stores=store,
        queue=MemoryQueue(backoff_s=0),
        models=HttpModelDirectory({}),
        clock=SystemClock(),
        planner=Planner(CATALOGUE, library, store.datasets),
        grading=GradingResources(pool, sandbox, code_services.prepared),
        credentials=Credentials(store.secrets),
    )
    judge = Judging(("sim/judge",)) if Need.JUDGE in needs else None
    count = ITEMS_IN_SANDBOX if Need.SANDBOX in needs else ITEMS
    user = Judging((MODEL,)) if Need.USER_MODEL in needs else None
    spec = RunSpec((MODEL,), (name,), subset=Subset(count=count), data="demo", judge=judge, user_model=user)
    try:
        if Need.SANDBOX in needs:
            await sandbox.selected()
        run = await execute_run(engine, (await create_run(engine, spec)).id)
    except (SandboxError, DataMissingError) as error:
        absent(error.message)
    finally:
        pool.close()
    content = await run_content(store, CATALOGUE, run.id, reveal=False)
    assert run.state is State.SUCCEEDED, run.error
    bundle = io.BytesIO(await exported(content))
    report = await replace(verifier(), catalogue=CATALOGUE).verify(bundle)
    assert report.errors == ()
    found = await Rescorer(CATALOGUE, library, code_services).rescore(bundle)
    scored = content.evaluations[0].summary.scored
    assert (found.status, found.detail.split(" ")[0]) == ("passed", str(scored)), found.detail
