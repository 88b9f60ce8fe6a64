"""Stores users' data sets, and removes them."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar
from uuid import uuid4

from assay.domain.dataset_report import Grading, Report
from assay.domain.datasets.dataset import (
    DataSet,
    DatasetId,
    name_of_file,
    own_name,
    require_name,
    shown_file_name,
)
from assay.domain.errors import BadDatasetError, ConflictError, NotTheOwnerError
from assay.domain.run import UNFINISHED_STATES
from assay.engine.datasets.files import DatasetFiles, FieldNames, IncomingFile
from assay.engine.datasets.rule_check import RuleCheck
from assay.engine.grading.offload import GradingPool
from assay.engine.ports import Clock
from assay.engine.stores.datasets import DatasetStore
from assay.engine.stores.runs import RunFilter, RunStore

T = TypeVar("T")
# Not those of `asyncio.to_thread`: checking a large file takes minutes, and others need them.
_THREADS = ThreadPoolExecutor(2, thread_name_prefix="upload")


async def _in_turn(work: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(_THREADS, work)


@dataclass(frozen=True, slots=True)
class Upload:
    """What the user says about a file; without a name, the data set is named after the file.

    The operator of the installation may add versions to the data sets of others.
    """

    file_name: str
    name: str | None = None
    grading: Grading = Grading.EXACT
    owner: str | None = None
    is_operator: bool = True
    fields: FieldNames = FieldNames()

    @property
    def is_csv(self) -> bool:
        return self.file_name.lower().endswith(".csv")


@dataclass(frozen=True, slots=True)
class DatasetUploads:
    runs: RunStore
    datasets: DatasetStore
    files: DatasetFiles
    clock: Clock
    pool: GradingPool

    async def store(self, file: IncomingFile, upload: Upload) -> tuple[DataSet, Report]:
        """Check what was written and store it; raises BadDatasetError, and then nothing is stored."""
        name = name_of_file(upload.file_name) if upload.name is None else require_name(upload.name)
        if upload.is_csv or upload.fields != FieldNames():
            await _in_turn(partial(file.map_fields, upload.fields, is_csv=upload.is_csv))
        report = await _in_turn(partial(file.check, upload.grading, RuleCheck(self.pool).fault_of))
        if report.error_count:
            raise BadDatasetError(report)
        await asyncio.to_thread(file.keep)
        dataset = DataSet(
            id=DatasetId(f"ds_{uuid4().hex[:16]}"),
            name=name,
            version=0,
            file_name=shown_file_name(upload.file_name),
            sha256=report.sha256,
            size_bytes=report.size_bytes,
            count=report.count,
            created_at=self.clock.now(),
            grading=upload.grading,
            graders=report.graders,
            models=report.models,
            owner=upload.owner,
            warnings=report.warnings,
            warning_count=report.warning_count,
        )
        try:
            return await self.datasets.add(dataset, by_operator=upload.is_operator), report
        except NotTheOwnerError:
            if upload.name is not None or upload.owner is None:
                raise
            # Two users may upload files of the same name.
            own = replace(dataset, name=own_name(name, upload.owner))
            return await self.datasets.add(own, by_operator=False), report

    async def remove(self, dataset: DataSet) -> None:
        """Remove its lines; its runs keep their answers. Raises ConflictError if a run still needs them."""
        using = RunFilter(benchmark=dataset.benchmark, states=UNFINISHED_STATES, limit=1)
        found = await self.runs.page(using)
        if found.total:
            raise ConflictError(
                f"{dataset.benchmark!r} is used by run {found.runs[0].id[:8]!r}, which has not ended:"
                " cancel it first"
            )
        if await self.datasets.remove(dataset.id, at=self.clock.now()):
            await asyncio.to_thread(self.files.remove, dataset.sha256)
