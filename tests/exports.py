"""Small runs and their exports, for tests to alter."""

import asyncio
import io
import json
import zipfile
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from hashlib import sha256
from typing import Any

from assay.adapters.signing.ed25519 import Ed25519Signer, is_signed_by, read_private_key
from assay.domain.benchmark import Source
from assay.domain.calls.messages import Completion, Usage
from assay.domain.errors import AssayError, ServerError
from assay.engine.exports.bundle import MANIFEST, PUBLIC_KEY, RESULTS, SIGNATURE, fingerprint_of, key_id_of
from assay.engine.exports.content import RunContent, run_content
from assay.engine.exports.exporter import Exporter
from assay.engine.exports.formats import ExportFormat
from assay.engine.exports.verification.checks import Report
from assay.engine.exports.verification.verify import Trust, Verifier
from assay.engine.ports import Request
from tests.builders import CARD, LetterBenchmark, ScriptedModel, World
from tests.stores import memory_stores

SIGNER = read_private_key(b64encode(bytes(range(32))).decode(), where="the test's key")
OTHER_SIGNER = read_private_key(b64encode(bytes(range(1, 33))).decode(), where="the other key")
ITEMS = 6
Members = dict[str, bytes]


def mixed(request: Request, number: int) -> Completion | AssayError:
    """Right and wrong answers, one that cannot be read, and one item that always fails."""
    letter = request.cue().right or ""
    if letter == "c":
        return ServerError("the endpoint is on fire", status=500)
    return Completion(
        {"b": "z", "d": "no letter at all"}.get(letter, letter),
        reasoning="let me think" if number % 2 else "",
        finish_reason="stop",
        usage=Usage(input_tokens=10, output_tokens=number),
        served_model="letters-9b",
        system_fingerprint="fp_1",
    )


def world() -> World:
    return World(benchmark=LetterBenchmark(size=ITEMS), model=ScriptedModel(mixed))


async def content_of(made: World, *, reveal: bool = False, **changes: Any) -> RunContent:
    run = await made.run(**changes)
    return await run_content(made.store, made.engine.planner.catalogue, run.id, reveal=reveal)


def gated(version: str) -> LetterBenchmark:
    source = Source("assay/letters", "0" * 40, (), gated=True)
    return LetterBenchmark(replace(CARD, source=source, version=version), size=3)


async def gated_content(*, reveal: bool) -> RunContent:
    """A gated benchmark on official data, whose texts must not get out."""
    made = world()
    made.benchmark = gated("1")
    run = await made.run()
    [ran] = await made.store.runs.evaluations(run.id)
    official = replace(ran.fingerprint, data_revision="abc")
    facts = await made.store.runs.item_facts(ran.id)
    store = memory_stores()
    await store.runs.add(run, [replace(ran, fingerprint=official, facts=facts)], [])
    await store.attempts.add([one async for one in made.store.attempts.whole(ran.id)])
    return await run_content(store, made.engine.planner.catalogue, run.id, reveal=reveal)


def no_pdf(_report: object) -> bytes:
    return b"%PDF"


EXPORTER = Exporter(signer=lambda: SIGNER, render_pdf=no_pdf)


async def exported(content: RunContent, wanted: ExportFormat = ExportFormat.ZIP) -> bytes:
    file = io.BytesIO()
    await EXPORTER.export(content, wanted, file)
    return file.getvalue()


@cache
def bundle() -> bytes:
    """One export, made once."""

    async def make() -> bytes:
        return await exported(await content_of(world(), samples=2))

    return asyncio.run(make())


def members_of(content: bytes) -> Members:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(members: Mapping[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def forged(
    change: Callable[[dict[str, Any]], object],
    *,
    signer: Ed25519Signer | None = None,
    content: bytes | None = None,
) -> bytes:
    """The export with its results changed and hashed again; signed anew where a key is given."""
    members = members_of(bundle() if content is None else content)
    results = json.loads(members[RESULTS])
    change(results)
    manifest = json.loads(members[MANIFEST])
    members[RESULTS] = canonical(results)
    manifest |= {
        "results_sha256": sha256(members[RESULTS]).hexdigest(),
        "results_bytes": len(members[RESULTS]),
    }
    if signer is not None:
        fingerprint = fingerprint_of(signer.public_key)
        manifest |= {"public_key_fingerprint": fingerprint, "key_id": key_id_of(fingerprint)}
    members[MANIFEST] = canonical(manifest)
    if signer is not None:
        members[SIGNATURE] = b64encode(signer.sign(members[MANIFEST]))
        members[PUBLIC_KEY] = b64encode(signer.public_key)
    return zipped(members)


def bench_runner_export(signer: Ed25519Signer) -> bytes:
    """An export in the format of the original bench runner."""
    results = canonical({"schema_version": "1.0", "run": {"id": "r"}, "benchmarks": []})
    manifest = canonical(
        {
            "schema_version": "1.0",
            "run_id": "r",
            "generated_at": "2026-01-02T03:04:05Z",
            "results_sha256": sha256(results).hexdigest(),
            "signature_algorithm": "ed25519",
            "public_key_fingerprint": fingerprint_of(signer.public_key),
        }
    )
    signature, key = b64encode(signer.sign(manifest)), b64encode(signer.public_key)
    return zipped({RESULTS: results, MANIFEST: manifest, SIGNATURE: signature, PUBLIC_KEY: key})


def verifier(trust: Trust | None = None) -> Verifier:
    known = Trust(frozenset({fingerprint_of(SIGNER.public_key)}))
    return Verifier(is_signed_by, trust or known, world().engine.planner.catalogue)


def verified(content: bytes, trust: Trust | None = None) -> Report:
    return asyncio.run(verifier(trust).verify(io.BytesIO(content)))


def failed_checks(report: Report) -> set[str]:
    return {one.check.value for one in report.findings if one.status == "failed"}
