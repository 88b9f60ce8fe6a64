"""Two processes ask the same items in the same words and give the same scores."""

import os
import subprocess
import sys

import pytest

ASKED = """
import asyncio, hashlib, json
from assay.domain.benchmark import Services
from assay.domain.calls.messages import Completion
from assay.engine.janus.suites import INTELLIGENCE, benchmarks_of, sampled, suite_named
from assay.engine.planning.catalogue import Catalogue

async def asked(name):
    benchmark = Catalogue.installed().get(name)
    item_set = benchmark.load(benchmark.demo_tables())
    drawn = sampled([item.id for item in item_set.items], seed="42", benchmark=name, percent=10)
    items = [item for item in item_set.items if item.id in drawn]
    prompts = [repr(item_set.prompt(item)) for item in items]
    grades = [await benchmark.grade(item, Completion(item_set.cue(item).right), Services()) for item in items]
    return drawn, hashlib.sha256(json.dumps(prompts).encode()).hexdigest(), repr(grades)

print([asyncio.run(asked(name)) for name in benchmarks_of(suite_named(INTELLIGENCE), None)])
"""


@pytest.fixture(scope="module")
def outputs() -> list[str]:
    """Of processes that order sets and hash texts in different ways."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", ASKED],
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in ("1", "2")
    ]
    return [process.communicate(timeout=60)[0] for process in started]


def test_items_prompts_and_grades_are_the_same_in_every_process(outputs: list[str]) -> None:
    one, other = outputs
    assert one.count("janus_research_") >= 10
    assert one == other
