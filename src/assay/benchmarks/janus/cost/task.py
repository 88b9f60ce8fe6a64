"""Janus cost: 40 tasks that a good reply answers with few words and few calls."""

from dataclasses import dataclass, replace
from pathlib import Path

from assay.benchmarks.janus.benchmark import JanusBenchmark
from assay.benchmarks.janus.cost.brevity import CONCISE, DIRECT, EXPLANATION
from assay.benchmarks.janus.cost.minimal_tools import MINIMAL_TOOLS, converse_with_tools, with_tools
from assay.benchmarks.janus.tools.conversation import MOST_TURNS
from assay.benchmarks.janus.tools.tasks import check_task
from assay.domain.benchmark import Ask, Item, ItemSet, Services, Tables
from assay.domain.calls.messages import Completion, Prompt
from assay.engine.planning.card import load_card

_TOOLS = "minimal_tools"


@dataclass(frozen=True, slots=True)
class Cost(JanusBenchmark):
    @property
    def limits(self) -> str:
        return f"at most {MOST_TURNS} turns"

    def load(self, tables: Tables) -> ItemSet:
        # Not super(): slots make another class of this one.
        loaded = JanusBenchmark.load(self, tables)
        for item in loaded.items:
            if item.category == _TOOLS:
                check_task(item.fields)

        def prompt(item: Item) -> Prompt:
            plain = loaded.prompt(item)
            return with_tools(item.fields, plain) if item.category == _TOOLS else plain

        async def conversation(item: Item, ask: Ask, services: Services) -> Completion:
            del services  # no tool of these tasks runs programs
            if item.category == _TOOLS:
                return await converse_with_tools(item.fields, prompt(item), ask)
            return await ask(prompt(item), cue=loaded.cue(item))

        return replace(loaded, prompt=prompt, converse=conversation)


benchmark = Cost(
    load_card(Path(__file__).parent),
    {
        "concise_response": CONCISE,
        "efficient_explanation": EXPLANATION,
        _TOOLS: MINIMAL_TOOLS,
        "direct_answer": DIRECT,
    },
)
