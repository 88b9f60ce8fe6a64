"""Plans when the tasks of a workflow can run."""

from workflow.model import CycleError, Schedule, Task
from workflow.scheduler import schedule

__all__ = ["CycleError", "Schedule", "Task", "schedule"]
