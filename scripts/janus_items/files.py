"""The task files as text."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from scripts.janus_items import cost, media, research, streaming, tools
from scripts.janus_items.task import Task
from scripts.janus_items.tools.world import world

DATA = Path(__file__).resolve().parents[2] / "src/assay/benchmarks/janus/data"
_CREATED = "2026-11-19"
_VERSION = "2"
_BENCHMARKS = {
    "janus_cost": cost.tasks,
    "janus_research": research.tasks,
    "janus_streaming": streaming.tasks,
    "janus_tool_use": tools.tasks,
    "janus_multimodal": media.tasks,
    "janus_multimodal_audio": media.audio_tasks,
}


def all_files() -> dict[str, str]:
    tasks = {f"{name}.json": _text(name, make()) for name, make in _BENCHMARKS.items()}
    return {**tasks, "tool_world.json": _json_text(world())}


def _text(name: str, tasks: list[Task]) -> str:
    metadata = {
        "benchmark": name,
        "version": _VERSION,
        "created": _CREATED,
        "total_items": len(tasks),
        "categories": dict(Counter(str(task["task_type"]) for task in tasks)),
    }
    content = {"$schema": "./task.schema.json", "metadata": metadata, "items": _numbered(name, tasks)}
    return _json_text(content)


def _json_text(content: Mapping[str, object]) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _numbered(name: str, tasks: list[Task]) -> list[Task]:
    """Ids count within a type, so that a task added to one type renames none of another."""
    counts: Counter[object] = Counter()
    numbered: list[Task] = []
    for task in tasks:
        counts[task["task_type"]] += 1
        number = f"{task['task_type']}_{counts[task['task_type']]:02}"
        family = {
            "id": f"{name}_{number}",
            "suite": "janus/intelligence",
            "type": name.removeprefix("janus_"),
        }
        numbered.append({**family, **task})
    return numbered
