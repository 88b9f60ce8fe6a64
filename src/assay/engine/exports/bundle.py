"""The signed bundle: a ZIP with the results, their manifest, its signature and the public key."""

import base64
from dataclasses import dataclass
from hashlib import sha256
from typing import IO

from assay.domain.calls.messages import Json
from assay.engine.exports.content import RunContent
from assay.engine.exports.documents import SCHEMA_VERSION, settled_at
from assay.engine.exports.members import entry, member, opened_zip
from assay.engine.exports.merkle import ALGORITHM
from assay.engine.exports.results import ResultsWriter
from assay.engine.exports.writing import ExportTools, Signer, encoded, write_run

FORMAT = "assay-export/1"
RESULTS, MANIFEST, SIGNATURE, PUBLIC_KEY = "results.json", "manifest.json", "signature.txt", "public_key.txt"
MEMBERS = (RESULTS, MANIFEST, SIGNATURE, PUBLIC_KEY)
SIGNATURE_ALGORITHM = "ed25519"
KEY_ID_LENGTH = 16


def fingerprint_of(public_key: bytes) -> str:
    return sha256(public_key).hexdigest()


def key_id_of(fingerprint: str) -> str:
    """A short form that still distinguishes keys."""
    return fingerprint[:KEY_ID_LENGTH]


@dataclass(frozen=True, slots=True)
class Written:
    """The manifest that was written, and the fingerprint of the key that signed it."""

    manifest: dict[str, Json]
    fingerprint: str


async def export_bundle(content: RunContent, target: IO[bytes], tools: ExportTools) -> None:
    await write_bundle(content, target, signer=tools.signer())


async def write_bundle(content: RunContent, target: IO[bytes], *, signer: Signer) -> Written:
    """Write the bundle to a seekable file; the same run and key give the same bytes."""
    with opened_zip(target) as archive:
        with member(archive, RESULTS) as file:
            results = ResultsWriter(content, file.write)
            await write_run(content, results)
        manifest = _manifest(content, results, signer)
        signed = encoded(manifest)
        archive.writestr(entry(MANIFEST), signed)
        archive.writestr(entry(SIGNATURE, is_packed=False), base64.b64encode(signer.sign(signed)))
        archive.writestr(entry(PUBLIC_KEY, is_packed=False), base64.b64encode(signer.public_key))
    return Written(manifest, fingerprint_of(signer.public_key))


def _manifest(content: RunContent, results: ResultsWriter, signer: Signer) -> dict[str, Json]:
    run = content.run
    fingerprint = fingerprint_of(signer.public_key)
    return {
        "schema_version": SCHEMA_VERSION,
        "format": FORMAT,
        "run_id": run.id,
        "run_status": run.state.value,
        "generated_at": settled_at(run),
        "results_sha256": results.hash.hexdigest(),
        "results_bytes": results.size,
        "merkle": {
            "algorithm": ALGORITHM,
            "root": results.tree.root().hex(),
            "leaves": results.tree.size,
        },
        "masked": sorted({one.evaluation.benchmark for one in content.evaluations if one.is_masked}),
        "signature_algorithm": SIGNATURE_ALGORITHM,
        "public_key_fingerprint": fingerprint,
        "key_id": key_id_of(fingerprint),
    }
