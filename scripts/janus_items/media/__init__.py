"""Tasks with pictures, drawings and recordings, all made here."""

from scripts.janus_items.media import generation, mixed, routing, understanding
from scripts.janus_items.task import Task


def tasks() -> list[Task]:
    return [*generation.tasks(), *understanding.tasks(), *mixed.mixed_tasks(), *routing.tasks()]


def audio_tasks() -> list[Task]:
    return mixed.audio_tasks()
