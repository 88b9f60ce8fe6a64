"""The tasks of the code catalogue, and what the attempts of a run came to, as the web UI shows them."""

from pydantic import Field

from assay.api.schemas.fields import FreeText, Schema
from assay.benchmarks.code_catalogue.task_folder import Difficulty, TaskType
from assay.engine.code_harness.statuses import Status


class CodeTask(Schema):
    id: str = Field(description="Id of the task")
    title: FreeText = Field(description="What the task is called")
    language: str = Field(description="Language of the task, such as `python`")
    type: TaskType = Field(description="Whether a bug is to be fixed or a feature to be added")
    difficulty: Difficulty = Field(description="How hard it is")
    tests: int = Field(description="Number of hidden tests")
    available: bool = Field(description="Whether its answers can be tested on this server")
    reason: FreeText | None = Field(description="Why its answers cannot be tested here; null if they can")


class CodeTasks(Schema):
    tasks: tuple[CodeTask, ...] = Field(description="One entry for each task that comes with Assay")


class CodeColumn(Schema):
    """One model with one set of options."""

    model: FreeText = Field(description="Name of the model")
    benchmark: FreeText = Field(description="Name of the benchmark, with its options")
    level: FreeText = Field(description="Thinking level; `base` if none was requested")
    options: tuple[FreeText, ...] = Field(description="Other options of the benchmark")


class CodeRow(Schema):
    """One task, with the attempts at it."""

    id: FreeText = Field(description="Id of the task")
    title: FreeText | None = Field(description="What the task is called; null for tasks of your own")
    language: FreeText | None = Field(description="Language of the task; null if it is not recorded")
    statuses: tuple[tuple[Status | None, ...], ...] = Field(
        description="For each column, the status of every sample, or none where the attempt has not ended"
    )


class CodeRunResults(Schema):
    """The attempts of a run as a table of tasks and models."""

    run_id: str = Field(description="Id of the run")
    columns: tuple[CodeColumn, ...] = Field(description="One entry for each model and set of options")
    tasks: tuple[CodeRow, ...] = Field(description="One entry for each task, in the order of the run")
