import asyncio
import json
import tracemalloc
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from tempfile import TemporaryFile
from typing import Any

import pytest

from assay.adapters.store.attempts.store import SqlAttemptStore
from assay.domain.attempt import Attempt
from assay.domain.errors import ConflictError
from assay.domain.json_value import digest
from assay.domain.outcome import Outcome
from assay.domain.run import EvaluationId, ItemFacts, State
from assay.engine.exports.bundle import MANIFEST, PUBLIC_KEY, RESULTS, SIGNATURE, write_bundle
from assay.engine.exports.content import bare_items, run_content
from assay.engine.results.masking import MASKED
from assay.engine.results.summarise import summarise
from tests.builders import NOON, Seeded, attempt
from tests.exports import (
    SIGNER,
    bundle,
    canonical,
    content_of,
    exported,
    failed_checks,
    gated_content,
    members_of,
    verified,
    world,
)
from tests.stores import MemoryDatabase, memory_stores

CONTRACT_RUN = {
    "id",
    "model_id",
    "model_slug",
    "provider",
    "subset_pct",
    "subset_count",
    "subset_seed",
    "status",
    "selected_benchmarks",
    "overall_score",
    "error_message",
    "provider_metadata",
    "started_at",
    "completed_at",
    "created_at",
    "code_version",
    "git_sha",
}
CONTRACT_BENCHMARK = {
    "benchmark_name",
    "status",
    "score",
    "metrics",
    "total_items",
    "sampled_items",
    "completed_items",
    "sampled_item_ids",
    "items",
}
CONTRACT_ITEM = {
    "item_id",
    "item_hash",
    "prompt",
    "response",
    "expected",
    "is_correct",
    "score",
    "latency_ms",
    "input_tokens",
    "output_tokens",
    "error",
    "test_code",
    "item_metadata",
    "judge_output",
    "created_at",
}


def results_of(content: bytes) -> dict[str, Any]:
    return json.loads(members_of(content)[RESULTS])


def test_members_hold_what_the_contract_says() -> None:
    members = members_of(bundle())
    results, manifest = json.loads(members[RESULTS]), json.loads(members[MANIFEST])
    assert results["run"].keys() >= CONTRACT_RUN
    assert results["benchmarks"][0].keys() >= CONTRACT_BENCHMARK
    assert results["benchmarks"][0]["items"][0].keys() >= CONTRACT_ITEM
    assert results["schema_version"] == manifest["schema_version"] == "1.0"
    assert manifest["results_sha256"] == sha256(members[RESULTS]).hexdigest()
    assert manifest["signature_algorithm"] == "ed25519"
    assert manifest["run_id"] == results["run"]["id"]
    assert len(members[SIGNATURE]) == 88
    assert len(members[PUBLIC_KEY]) == 44


def test_both_documents_are_in_canonical_form() -> None:
    members = members_of(bundle())
    for name in (RESULTS, MANIFEST):
        assert members[name] == canonical(json.loads(members[name]))


async def test_the_same_run_gives_the_same_bytes() -> None:
    made = world()
    content = await content_of(made)
    first = await exported(content)
    made.clock.passed_s += 86_400
    again = await run_content(made.store, made.engine.planner.catalogue, content.run.id, reveal=False)
    assert await exported(again) == first


def test_provenance_is_what_the_run_recorded() -> None:
    [one] = results_of(bundle())["benchmarks"]
    assert one["served_by"] == {"models": {"letters-9b": 10}, "system_fingerprints": {"fp_1": 10}}
    assert one["endpoint"] == "scripted"
    assert [item["item_hash"] for item in one["asked_items"]]
    assert one["fingerprint_fields"]["grader"] == "exact letter 1"
    assert one["sampled_item_ids"] == [item["item_id"] for item in one["asked_items"]]


def test_missing_data_keeps_its_reason_and_has_no_score() -> None:
    [one] = results_of(bundle())["benchmarks"]
    failed = [item for item in one["items"] if item["outcome"] == "model_error"]
    assert len(failed) == 2
    assert all(item["score"] is None and item["is_correct"] is None for item in failed)
    assert all(item["error"] == "the endpoint is on fire" and len(item["calls"]) > 1 for item in failed)
    assert one["summary"]["scored"] == 10


async def test_a_run_that_still_changes_is_refused() -> None:
    store = memory_stores()
    seeded = Seeded(replace(Seeded().run, state=State.RUNNING))
    await store.runs.add(seeded.run, [seeded.evaluation()], [])
    with pytest.raises(ConflictError, match="pause it first"):
        await run_content(store, world().engine.planner.catalogue, seeded.run.id, reveal=False)


@pytest.mark.parametrize("state", [State.CANCELED, State.FAILED, State.PAUSED])
async def test_what_did_not_come_to_its_end_is_exported_and_says_so(state: State) -> None:
    store = memory_stores()
    seeded = Seeded(replace(Seeded().run, state=state, error="stopped by a user"))
    facts = tuple(ItemFacts(f"h{number}", "") for number in range(4))
    evaluation = seeded.evaluation(state=state, facts=facts, started_at=NOON)
    await store.runs.add(seeded.run, [evaluation], [])
    await store.attempts.add(
        [attempt("0", item_hash="h0"), attempt("1", item_hash="h1", outcome=Outcome.INCORRECT, score=0.0)]
    )
    content = await run_content(store, world().engine.planner.catalogue, seeded.run.id, reveal=False)
    written = await exported(content)
    results, manifest = results_of(written), json.loads(members_of(written)[MANIFEST])
    assert manifest["run_status"] == results["run"]["status"] == state.value
    assert results["benchmarks"][0]["state"] == state.value
    assert results["benchmarks"][0]["summary"]["total"] == 4
    assert results["benchmarks"][0]["score"] == 0.5


async def test_texts_of_gated_benchmarks_are_masked_unless_asked_for() -> None:
    masked, plain = [await exported(await gated_content(reveal=reveal)) for reveal in (False, True)]
    assert b"Say a." not in members_of(masked)[RESULTS]
    assert MASKED.encode() in members_of(masked)[RESULTS]
    assert b"Say a." in members_of(plain)[RESULTS]
    manifest = json.loads(members_of(masked)[MANIFEST])
    assert manifest["masked"] == ["letters"]


async def masked_export() -> bytes:
    return await exported(await gated_content(reveal=False))


def test_a_masked_export_still_proves_its_scores() -> None:
    report = verified(asyncio.run(masked_export()))
    assert failed_checks(report) == set()


async def large_data_set() -> bytes:
    """Of its many lines no facts are stored."""
    made = world()
    run = await made.run(samples=2)
    [ran] = await made.store.runs.evaluations(run.id)
    assert ran.summary is not None
    ids = digest(list(ran.item_ids))
    fingerprint = replace(ran.fingerprint, benchmark="dataset:letters@1", items_checksum=ids)
    large = replace(ran, benchmark=fingerprint.benchmark, fingerprint=fingerprint, facts=())
    store = memory_stores()
    await store.runs.add(run, [large], [])
    await store.attempts.add([one async for one in made.store.attempts.whole(ran.id)])
    content = await run_content(store, made.engine.planner.catalogue, run.id, reveal=False)
    found = content.evaluations[0].summary
    assert found == replace(ran.summary, categories={})
    assert found == await summarise(
        store.attempts.results(ran.id), benchmark=None, items=bare_items(ran.item_ids, {}), samples=2
    )
    return await exported(content)


def test_a_large_data_set_is_exported_with_its_stored_summary() -> None:
    assert failed_checks(verified(asyncio.run(large_data_set()))) == set()


class EndlessStore(SqlAttemptStore):
    """Attempts made up as they are asked for: a store that itself takes no memory."""

    def __init__(self, count: int) -> None:
        super().__init__(MemoryDatabase())
        self._count = count

    async def whole(self, evaluation_id: EvaluationId) -> AsyncIterator[Attempt]:
        for number in range(self._count):
            yield attempt(
                f"{number:07}",
                evaluation_id=evaluation_id,
                prompt="p" * 1_000,
                answer=f"{number} " * 200,
                finished_at=NOON + timedelta(milliseconds=number),
            )


async def peak_bytes(count: int) -> int:
    store = replace(memory_stores(), attempts=EndlessStore(count))
    seeded = Seeded(replace(Seeded().run, state=State.SUCCEEDED))
    await store.runs.add(seeded.run, [seeded.evaluation(state=State.SUCCEEDED)], [])
    content = await run_content(store, world().engine.planner.catalogue, seeded.run.id, reveal=False)
    tracemalloc.start()
    try:
        with TemporaryFile() as file:
            await write_bundle(content, file, signer=SIGNER)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


async def test_memory_does_not_grow_with_the_number_of_attempts() -> None:
    few, many = await peak_bytes(500), await peak_bytes(4_000)
    assert many < few * 1.5 + 500_000
