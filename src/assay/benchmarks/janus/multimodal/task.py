"""Janus multimodal: 60 tasks with pictures to read, to draw and to act upon; ten with sound as a variant."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from assay.benchmarks.janus.answer_lines import ANSWER_LINES
from assay.benchmarks.janus.benchmark import JanusBenchmark, TaskKind
from assay.benchmarks.janus.multimodal.drawing import grade_drawing
from assay.benchmarks.janus.multimodal.routing import grade_routing, routing_cues, routing_protocol
from assay.benchmarks.janus.task_file import task_data
from assay.benchmarks.janus.tools.conversation import MOST_TURNS, converse
from assay.benchmarks.janus.tools.simulator import Simulator
from assay.benchmarks.janus.tools.tasks import check_task, task_tools
from assay.domain.benchmark import Ask, Cue, Grade, Item, ItemSet, Row, Services, Source, Tables
from assay.domain.calls.messages import Completion, Prompt
from assay.engine.planning.card import load_card
from assay.engine.ports import BenchmarkData

_FOLDER = Path(__file__).parent
_ROUTING = "modality_routing"
_DRAWN = """Reply with one SVG drawing: an <svg> element, or a data URL that holds it. Its viewBox is \
"0 0 {width} {height}". Use only g, rect, circle, ellipse, line, polygon, polyline, path and text, with \
colours by their CSS names, and without style sheets, gradients and opacity. Draw nothing else, not even a \
background."""


@dataclass(frozen=True, slots=True)
class Multimodal(JanusBenchmark):
    # The file of tasks, and the tasks with sound, which few models hear.
    tasks: str = "janus_multimodal"
    variants: Mapping[str, "Multimodal"] = field(default_factory=dict[str, "Multimodal"])

    @property
    def limits(self) -> str:
        return f"at most {MOST_TURNS} turns"

    def own_data(self, where: str) -> BenchmarkData:
        source = Source(self.tasks, self.card.version, ())
        return self.checked(task_data(replace(self.card, source=source), where, self.kinds), where)

    def load(self, tables: Tables) -> ItemSet:
        # Not super(): slots make another class of this one.
        loaded = JanusBenchmark.load(self, tables)
        for item in loaded.items:
            check_task(item.fields)

        def prompt(item: Item) -> Prompt:
            tools = [tool.definition for tool in task_tools(item.fields).values()]
            extra = {"tools": tools, "tool_choice": "auto"} if tools else {}
            return replace(loaded.prompt(item), extra=extra)

        async def conversation(item: Item, ask: Ask, services: Services) -> Completion:
            if item.category != _ROUTING:
                return await ask(prompt(item), cue=loaded.cue(item))
            simulator = Simulator(task_tools(item.fields), services.sandbox)
            return await converse(prompt(item), simulator, routing_cues(item.fields), ask)

        return replace(loaded, prompt=prompt, converse=conversation)


def _wanted(task: Row) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", task["evaluation"])


def _drawing_protocol(task: Row) -> str:
    width, height = _wanted(task)["view"]
    return _DRAWN.format(width=width, height=height)


def _grade_drawing(task: Row, completion: Completion) -> Grade:
    return grade_drawing(completion.answer, _wanted(task))


def _routing_cue(task: Row) -> Cue:
    return routing_cues(task).whole


def _drawing_cue(task: Row) -> Cue:
    return Cue(right=str(task["expected_answer"]), wrong="I have drawn it for you.")


_MIXED = {"mixed_media": ANSWER_LINES}
_KINDS: Mapping[str, TaskKind] = {
    "image_generation": TaskKind(_drawing_protocol, _grade_drawing, _drawing_cue),
    "image_understanding": ANSWER_LINES,
    **_MIXED,
    _ROUTING: TaskKind(routing_protocol, grade_routing, _routing_cue),
}
benchmark = Multimodal(
    load_card(_FOLDER),
    _KINDS,
    variants={"audio": Multimodal(load_card(_FOLDER, variant="audio"), _MIXED, "janus_multimodal_audio")},
)
