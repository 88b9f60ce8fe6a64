"""What other tools say about our exports of their formats.

Their packages pull in versions that ours do not go with, so they live in an environment of their own, which
the `uv` of the Makefile makes from its cache within a second.
"""

import asyncio
import io
import json
import subprocess
import zipfile
from pathlib import Path

import pytest

from assay.engine.exports.formats import ExportFormat
from tests.conftest import REPOSITORY, absent
from tests.exports import content_of, exported, world

INSPECT = "inspect-ai==0.3.285"
# Its validator needs a later Python than ours; its schemas do not.
EVALEVAL = "every-eval-ever==0.3.0"
MAKE_TIMEOUT_S = 300

READ_LOG = """
import json, sys
from inspect_ai.log import read_eval_log, read_eval_log_sample, read_eval_log_sample_summaries
log = read_eval_log(sys.argv[1])
first = log.samples[0]
print(json.dumps({
    "status": log.status,
    "task": log.eval.task,
    "model": log.eval.model,
    "samples": len(log.samples),
    "mean": log.results.scores[0].metrics["mean"].value,
    "answer": first.output.completion,
    "prompt": first.input[0].text,
    "values": sorted(s.scores["assay"].value for s in log.samples if s.scores),
    "errors": [s.error.message for s in log.samples if s.error],
    "summaries": len(read_eval_log_sample_summaries(sys.argv[1])),
    "alone": read_eval_log_sample(sys.argv[1], id=first.id, epoch=1).id,
}))
"""
VALIDATE = """
import json, pathlib, sys
import jsonschema
schemas, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
def validator(name):
    return jsonschema.Draft7Validator(json.loads((schemas / name).read_text()))
faults = []
for path in folder.rglob("*.json"):
    faults += validator("eval.schema.json").iter_errors(json.loads(path.read_text()))
rows = 0
for path in folder.rglob("*_samples.jsonl"):
    checker = validator("instance_level_eval.schema.json")
    for line in path.read_text().splitlines():
        rows += 1
        faults += checker.iter_errors(json.loads(line))
print(json.dumps({"rows": rows, "faults": [f"{list(one.path)}: {one.message}" for one in faults]}))
"""


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a Python that has Inspect and jsonschema, and the schemas of EvalEval."""
    uv = REPOSITORY / ".uv" / "bin" / "uv"
    if not uv.exists():
        absent(f"{uv} is missing; make it with: make .uv/bin/uv")
    folder = tmp_path_factory.mktemp("tools")
    python = str(folder / "venv" / "bin" / "python")
    target = ["--no-deps", "--python-version", "3.12", "--target", str(folder / "evaleval")]
    for command in (
        ["venv", "--quiet", str(folder / "venv")],
        ["pip", "install", "--quiet", "--python", python, INSPECT],
        ["pip", "install", "--quiet", "--python", python, *target, EVALEVAL],
    ):
        done = subprocess.run(
            [str(uv), *command], capture_output=True, text=True, timeout=MAKE_TIMEOUT_S, check=False
        )
        if done.returncode:
            absent(f"other tools cannot be installed: {done.stderr.strip()[-200:]}")
    return folder


def told(tools: Path, script: str, *arguments: str) -> dict[str, object]:
    done = subprocess.run(
        [str(tools / "venv" / "bin" / "python"), "-c", script, *arguments],
        capture_output=True,
        text=True,
        timeout=MAKE_TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def written(wanted: ExportFormat) -> bytes:
    async def make() -> bytes:
        return await exported(await content_of(world(), samples=2), wanted)

    return asyncio.run(make())


def test_inspect_reads_our_log(tools: Path, tmp_path: Path) -> None:
    log = tmp_path / "letters.eval"
    log.write_bytes(written(ExportFormat.INSPECT))
    read = told(tools, READ_LOG, str(log))
    assert read == {
        "status": "success",
        "task": "letters",
        "model": "test/scripted",
        "samples": 12,
        "mean": 0.6,
        "answer": "a",
        "prompt": "Say a.",
        "values": [0.0] * 4 + [1.0] * 6,
        "errors": ["the endpoint is on fire"] * 2,
        "summaries": 12,
        "alone": "0",
    }


def test_every_document_fits_the_schemas_of_evaleval(tools: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(written(ExportFormat.EVALEVAL))) as archive:
        archive.extractall(tmp_path)
    schemas = tools / "evaleval" / "every_eval_ever" / "schemas"
    assert told(tools, VALIDATE, str(schemas), str(tmp_path)) == {"rows": 10, "faults": []}
