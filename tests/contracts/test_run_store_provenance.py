"""What every store keeps of a run for its export."""

from dataclasses import replace
from datetime import timedelta

from assay.domain.attempt import Call
from assay.domain.outcome import Outcome
from assay.domain.run import EvaluationId, ItemFacts
from assay.engine.stores import Stores
from tests.builders import NOON, Seeded, attempt

FACTS = tuple(
    ItemFacts(f"hash {number}", "p" * 64, category="vowel" if number else None, cluster=f"c\x00{number}")
    for number in range(4)
)


async def test_facts_of_items_come_back_in_order(store: Stores) -> None:
    seeded = Seeded()
    await store.runs.add(seeded.run, [seeded.evaluation(facts=FACTS)], [])
    assert await store.runs.item_facts(EvaluationId("evaluation-1")) == FACTS
    [stored] = await store.runs.evaluations(seeded.run.id)
    assert stored.facts == (), "they are not read with every evaluation"


async def test_an_evaluation_without_facts_has_none(store: Stores) -> None:
    seeded = Seeded()
    await store.runs.add(seeded.run, [seeded.evaluation()], [])
    assert await store.runs.item_facts(EvaluationId("evaluation-1")) == ()
    assert await store.runs.item_facts(EvaluationId("unknown")) == ()


async def test_endpoint_and_environment_come_back(store: Stores) -> None:
    environment = {"python": "CPython 3.11.7", "system": "Linux"}
    seeded = Seeded(replace(Seeded().run, environment=environment))
    await store.runs.add(seeded.run, [seeded.evaluation(endpoint="http://host/v1")], [])
    assert (await store.runs.get(seeded.run.id)).environment == environment
    [stored] = await store.runs.evaluations(seeded.run.id)
    assert stored.endpoint == "http://host/v1"


async def test_whole_attempts_come_with_texts_and_calls_in_order(store: Stores) -> None:
    """More than one page of them, one with several calls and one with none."""
    seeded = Seeded()
    await store.runs.add(seeded.run, [seeded.evaluation()], [])
    call = Call(NOON, 12.5, status=200, served_model="m", system_fingerprint="fp")
    failed = Call(NOON + timedelta(seconds=1), 1.0, status=500, error_code="server", error_message="no")
    made = [
        attempt(f"{number:04}", prompt=f"prompt {number}", answer="x" * 600, calls=(call,), tries=1)
        for number in range(450)
    ]
    made[7] = replace(made[7], calls=(failed, call), tries=2)
    made[8] = replace(made[8], calls=(), outcome=Outcome.CANCELED, score=None)
    await store.attempts.add(made[::-1])
    assert [one async for one in store.attempts.whole(EvaluationId("evaluation-1"))] == made
