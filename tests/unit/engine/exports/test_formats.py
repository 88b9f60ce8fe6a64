import csv
import io
import json
import zipfile
from dataclasses import asdict, replace
from hashlib import sha256
from pkgutil import resolve_name
from typing import Any

import pytest

from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Completion, Generation, Usage
from assay.domain.json_value import digest
from assay.engine.exports.bundle import RESULTS
from assay.engine.exports.content import RunContent
from assay.engine.exports.csv_rows import COLUMNS
from assay.engine.exports.exporter import file_name
from assay.engine.exports.formats import ExportFormat
from assay.engine.exports.report import histogram, report_document
from assay.engine.ports import Request
from tests.builders import LetterBenchmark, ScriptedModel, World
from tests.exports import bundle, content_of, exported, members_of, world

CONTRACT_COLUMNS = [
    "run_id",
    "model_slug",
    "subset_pct",
    "subset_count",
    "subset_seed",
    "run_status",
    "run_started_at",
    "run_completed_at",
    "overall_score",
    "benchmark_name",
    "benchmark_status",
    "benchmark_score",
    "sampled_items",
    "completed_items",
    "item_id",
    "prompt",
    "response",
    "expected",
    "is_correct",
    "score",
    "latency_ms",
    "error",
]


async def rows_of(content: RunContent) -> list[dict[str, str]]:
    text = (await exported(content, ExportFormat.CSV)).decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


async def test_csv_has_the_columns_of_the_contract_and_every_attempt() -> None:
    rows = await rows_of(await content_of(world(), samples=2))
    assert [name for name in COLUMNS if name in CONTRACT_COLUMNS] == CONTRACT_COLUMNS
    assert len(rows) == 12
    assert list(rows[0]) == [*COLUMNS, "escaped"]


async def test_csv_keeps_zero_apart_from_nothing() -> None:
    rows = await rows_of(await content_of(world()))
    by_outcome = {row["outcome"]: row for row in rows}
    assert by_outcome["incorrect"]["score"] == "0.0"
    assert by_outcome["incorrect"]["is_correct"] == "false"
    assert by_outcome["model_error"]["score"] == ""
    assert by_outcome["model_error"]["error"] == "the endpoint is on fire"


async def test_csv_gives_texts_in_full_and_never_as_a_formula() -> None:
    long, formula = "x" * 5_000, '=HYPERLINK("http://evil","me")'

    def odd(request: Request, _number: int) -> Completion:
        return Completion({"a": long, "b": formula, "c": "\ttab", "d": "-1+1"}[request.cue().right or ""])

    made = World(benchmark=LetterBenchmark(size=4), model=ScriptedModel(odd))
    rows = await rows_of(await content_of(made))
    assert [row["response"] for row in rows] == [long, f"'{formula}", "'\ttab", "'-1+1"]
    assert ["response" in row["escaped"].split() for row in rows] == [False, True, True, True]


async def test_lines_are_the_leaves_that_the_bundle_signs() -> None:
    content = await content_of(world(), samples=2)
    lines = (await exported(content, ExportFormat.JSONL)).splitlines()
    results = members_of(await exported(content))[RESULTS]
    assert len(lines) == 12
    assert all(line in results for line in lines)


async def test_batch_lines_have_the_shape_of_the_batch_api() -> None:
    lines = [
        json.loads(line)
        for line in (await exported(await content_of(world()), ExportFormat.OPENAI_BATCH)).splitlines()
    ]
    by_id = {line["custom_id"]: line for line in lines}
    answered = by_id["0"]["response"]
    assert answered["status_code"] == 200
    assert answered["body"]["choices"][0]["message"]["content"] == "a"
    assert by_id["2"]["response"]["status_code"] == 500
    assert by_id["2"]["error"]["message"] == "the endpoint is on fire"


def unzipped(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


async def test_lm_eval_has_results_and_samples_under_its_names() -> None:
    content = await content_of(world())
    files = unzipped(await exported(content, ExportFormat.LM_EVAL))
    stamp = "2026-01-02T12"
    [results_name] = [name for name in files if name.startswith(f"test__scripted/results_{stamp}")]
    results = json.loads(files[results_name])
    score = content.evaluations[0].summary.score
    assert score
    assert results["results"]["letters"]["accuracy,none"] == score.value
    assert results["results"]["letters"]["accuracy_stderr,none"] == score.standard_error
    assert results["n-samples"]["letters"] == {"original": 6, "effective": 5}
    [samples_name] = [name for name in files if "samples_letters_" in name]
    samples = [json.loads(line) for line in files[samples_name].splitlines()]
    assert len(samples) == 5, "missing data is left out"
    wanted = (
        "doc_id doc target arguments resps filtered_resps filter metrics doc_hash prompt_hash target_hash"
    )
    assert samples[0].keys() >= {*wanted.split(), "accuracy"}


async def test_evaleval_names_its_samples_by_hash_and_path() -> None:
    files = unzipped(await exported(await content_of(world()), ExportFormat.EVALEVAL))
    [aggregate_name] = [name for name in files if name.endswith(".json")]
    aggregate = json.loads(files[aggregate_name])
    told = aggregate["detailed_evaluation_results"]
    assert told["file_path"] in files
    assert told["total_rows"] == 5 == len(files[told["file_path"]].splitlines())
    assert aggregate["model_info"]["id"] == "test/scripted"
    assert aggregate["schema_version"] == "0.3.0"


async def test_inspect_is_one_log_for_one_evaluation() -> None:
    content = await content_of(world())
    files = unzipped(await exported(content, ExportFormat.INSPECT))
    assert file_name(content, ExportFormat.INSPECT).endswith(".eval")
    assert files.keys() >= {"header.json", "_journal/start.json", "summaries.json", "samples/0_epoch_1.json"}
    failed = json.loads(files["samples/2_epoch_1.json"])
    assert failed["scores"] == {}
    assert failed["error"]["message"] == "the endpoint is on fire"


async def test_settings_of_a_run_have_the_names_of_inspect() -> None:
    asked = Generation(system="Be brief.", options={"top_k": 4}, timeout_s=1.5, retries=2, stop=("#",))
    files = unzipped(await exported(await content_of(world(), generation=asked), ExportFormat.INSPECT))
    config = json.loads(files["header.json"])["eval"]["model_generate_config"]
    told = {"system_message": "Be brief.", "extra_body": {"top_k": 4}, "timeout": 2, "max_retries": 2}
    assert config.items() >= {**told, "stop_seqs": ["#"]}.items()


async def test_what_a_run_sent_is_proven_by_its_bundle() -> None:
    content = await content_of(world(), generation=Generation(system="Be brief.", options={"top_k": 4}))
    with zipfile.ZipFile(io.BytesIO(await exported(content))) as archive:
        [evaluation] = json.loads(archive.read("results.json"))["benchmarks"]
    assert evaluation["generation"]["options"] == {"top_k": 4}
    assert digest(evaluation["generation"]) == evaluation["fingerprint_fields"]["generation"]
    facts = {one["item_id"]: one["prompt_sha256"] for one in evaluation["asked_items"]}
    for item in evaluation["items"]:
        assert item["prompt"].startswith('[{"role": "system", "content": "Be brief."}')
        assert sha256(item["prompt"].encode()).hexdigest() == facts[item["item_id"]]


@pytest.mark.parametrize("wanted", list(ExportFormat))
async def test_every_format_gives_the_same_bytes_twice(wanted: ExportFormat) -> None:
    content = await content_of(world())
    assert await exported(content, wanted) == await exported(content, wanted)


CANARY = "sk-canary-51f0c9"


@pytest.mark.parametrize("wanted", [one for one in ExportFormat if one is not ExportFormat.PDF])
async def test_no_secret_gets_into_any_export(wanted: ExportFormat) -> None:
    """What a run is started with beside its specification: paths of the machine, credentials of a URL."""
    made = world()
    content = await content_of(made)
    spec = replace(
        content.run.spec,
        data=f"/home/{CANARY}/data.jsonl",
        base_url=f"http://u:{CANARY}@host/v1",
        headers={"X-Key": CANARY},
    )
    leaky = replace(content, run=replace(content.run, spec=spec))
    written = await exported(leaky, wanted)
    files = unzipped(written).values() if written.startswith(b"PK") else [written]
    assert all(CANARY.encode() not in one for one in files)


async def test_the_report_says_what_it_is_about() -> None:
    report = json.loads(json.dumps(await report_document(await content_of(world()))))
    assert report["sentences"] == ["test/scripted scored 60.0 % (95 % interval 14.7 to 94.7) on Letters."]
    assert report["evaluations"][0]["outcomes"][0] == {"name": "correct", "count": 3, "is_verdict": True}
    assert "demo items" in report["notes"][0]
    assert report["evaluations"][0]["warnings"] == []


async def test_the_report_says_that_items_were_named() -> None:
    content = await content_of(world(), items=(ItemId("1"), ItemId("2")))
    report = json.loads(json.dumps(await report_document(content)))
    assert report["notes"][0].startswith("The run covers 2 named items alone")


async def test_the_report_has_the_warnings_of_a_result() -> None:
    made = World(model=ScriptedModel(lambda _request, _number: Completion("no letter")))
    report = json.loads(json.dumps(await report_document(await content_of(made))))
    assert report["evaluations"][0]["warnings"] == ["4 of 4 replies have no answer (4 unparsed)"]
    assert report["notes"][-1].endswith(": 4 of 4 replies have no answer (4 unparsed).")


def test_a_histogram_counts_every_value() -> None:
    found: dict[str, Any] = asdict(histogram([float(number) for number in range(1_000)]))
    assert sum(found["counts"]) + found["beyond"] == found["n"] == 1_000
    assert found["beyond"] == 10


def test_a_histogram_of_equal_values_is_one_bar() -> None:
    assert max(histogram([5.0] * 7).counts) == 7
    assert histogram([0.0]).counts[0] == 1


def test_usage_stays_whole() -> None:
    [one] = json.loads(members_of(bundle())[RESULTS])["benchmarks"]
    tokens = [item["input_tokens"] for item in one["items"] if item["score"] is not None]
    assert tokens == [Usage(input_tokens=10).input_tokens] * 10


@pytest.mark.parametrize("wanted", ExportFormat)
def test_every_format_names_a_function_that_writes_it(wanted: ExportFormat) -> None:
    assert callable(resolve_name(wanted.writer))
    assert ExportFormat(wanted.value) is wanted
