"""Takes users' data sets in, and puts them away."""

import asyncio
from dataclasses import dataclass
from uuid import uuid4

from assay.domain.dataset import DataSet, DatasetId, must_be_name, name_of_file, shown_file_name
from assay.domain.dataset_report import Grading, Report
from assay.domain.errors import BadDatasetError, ConflictError
from assay.domain.run import State
from assay.engine.datasets.files import Intake
from assay.engine.execution.runs import Engine
from assay.engine.stores.runs import RunFilter

_UNFINISHED = frozenset(state for state in State if not state.is_final)


@dataclass(frozen=True, slots=True)
class Arrival:
    """What the user says of a file; without a name it gets one from the file's."""

    file_name: str
    name: str | None = None
    grading: Grading = Grading.EXACT
    owner: str | None = None


async def take_in(engine: Engine, intake: Intake, arrival: Arrival) -> tuple[DataSet, Report]:
    """Check what was written and store it; raises BadDatasetError, and then nothing is stored."""
    name = name_of_file(arrival.file_name) if arrival.name is None else must_be_name(arrival.name)
    report = await asyncio.to_thread(intake.check, arrival.grading)
    if report.error_count:
        raise BadDatasetError(report)
    await asyncio.to_thread(intake.keep)
    dataset = DataSet(
        id=DatasetId(f"ds_{uuid4().hex[:16]}"),
        name=name,
        version=0,
        file_name=shown_file_name(arrival.file_name),
        sha256=report.sha256,
        size_bytes=report.size_bytes,
        count=report.count,
        created_at=engine.clock.now(),
        grading=arrival.grading,
        graders=report.graders,
        models=report.models,
        owner=arrival.owner,
        warnings=report.warnings,
        warning_count=report.warning_count,
    )
    return await engine.stores.datasets.add_dataset(dataset), report


async def remove(engine: Engine, dataset: DataSet) -> None:
    """Its runs keep their answers; raises ConflictError while one of them still needs the lines."""
    using = RunFilter(benchmark=dataset.benchmark, states=_UNFINISHED, limit=1)
    found = await engine.stores.runs.list_runs(using)
    if found.total:
        raise ConflictError(
            f"{dataset.benchmark!r} is used by run {found.runs[0].id[:8]!r}, which has not ended:"
            " cancel it first"
        )
    if await engine.stores.datasets.remove_dataset(dataset.id, at=engine.clock.now()):
        await asyncio.to_thread(engine.shelf.remove, dataset.sha256)
