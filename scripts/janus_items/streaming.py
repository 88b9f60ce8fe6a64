"""Replies whose lines follow from the prompt, and numbers that are derived step by step."""

from scripts.janus_items.streaming_long import LONG
from scripts.janus_items.streaming_reasoning import REASONING
from scripts.janus_items.streaming_short import SHORT
from scripts.janus_items.task import Task


def tasks() -> list[Task]:
    return [
        *({"task_type": "short", **one} for one in SHORT),
        *({"task_type": "long", **one} for one in LONG),
        *({"task_type": "reasoning", **one} for one in REASONING),
    ]
