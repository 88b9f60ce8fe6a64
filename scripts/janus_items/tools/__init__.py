"""Tasks with tools, and the data of the simulator that carries them out."""

from scripts.janus_items.task import Task
from scripts.janus_items.tools.code_execution import TASKS as CODE_EXECUTION
from scripts.janus_items.tools.function_calling import TASKS as FUNCTION_CALLING
from scripts.janus_items.tools.tool_chaining import TASKS as TOOL_CHAINING
from scripts.janus_items.tools.tool_selection import TASKS as TOOL_SELECTION


def tasks() -> list[Task]:
    kinds = {
        "function_calling": FUNCTION_CALLING,
        "tool_selection": TOOL_SELECTION,
        "tool_chaining": TOOL_CHAINING,
        "code_execution": CODE_EXECUTION,
    }
    return [one.written(kind) for kind, tasks in kinds.items() for one in tasks]
