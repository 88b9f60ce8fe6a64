"""Verifies a bundle without a server and without a database."""

import base64
import binascii
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import BinaryIO

from assay.domain.calls.messages import Json
from assay.domain.errors import InvalidValueError
from assay.domain.stats import plural
from assay.engine.exports.archive import (
    Archive,
    ArchiveLimits,
    BundleError,
    NotAnExportError,
    opened_archive,
)
from assay.engine.exports.bundle import (
    FORMAT,
    MANIFEST,
    PUBLIC_KEY,
    RESULTS,
    SIGNATURE,
    SIGNATURE_ALGORITHM,
    fingerprint_of,
    key_id_of,
)
from assay.engine.exports.json_stream import JsonStream, MalformedError
from assay.engine.exports.merkle import ALGORITHM
from assay.engine.exports.reading import Document, inner
from assay.engine.exports.verification.audit import Audit
from assay.engine.exports.verification.checks import Check, Finding, Problems, Report, finding
from assay.engine.planning.catalogue import Catalogue

IsSignedBy = Callable[[bytes, bytes, bytes], bool]
"""Takes public key, signature and message."""


@dataclass(frozen=True, slots=True)
class Trust:
    """Fingerprints of the trusted keys; if `is_strict`, any other key is a failure.

    Otherwise another key leaves open who signed.
    """

    fingerprints: frozenset[str] = frozenset()
    is_strict: bool = True


@dataclass(frozen=True, slots=True)
class Verifier:
    is_signed_by: IsSignedBy
    trust: Trust
    catalogue: Catalogue
    limits: ArchiveLimits = field(default_factory=ArchiveLimits)

    async def verify(self, file: BinaryIO) -> Report:
        """Problems of the file are in the report; they are not raised."""
        try:
            with opened_archive(file, self.limits) as archive:
                return await self._verified(archive)
        except NotAnExportError as error:
            return Report.of_other_file(error.message)
        except (BundleError, MalformedError) as error:
            return Report((Finding(Check.ARCHIVE, "failed", error.message),))

    async def _verified(self, archive: Archive) -> Report:
        signed = archive.small(MANIFEST)
        manifest = parsed_manifest(signed)
        by_key = self.signature_findings(
            manifest, signed, key_text=archive.small(PUBLIC_KEY), signature_text=archive.small(SIGNATURE)
        )
        if not is_known_format(manifest):
            return Report((_unknown_format(manifest), *by_key), manifest)
        findings = [
            Finding(Check.ARCHIVE, "passed", "the archive has exactly the four members of a bundle"),
            *by_key,
        ]
        audit = Audit(self.catalogue)
        with archive.results() as results:
            try:
                await audit.read(archive.stream(results))
                unreadable = None
            except MalformedError as error:
                unreadable = error.message
            results.drain()
            findings.append(_results_finding(manifest, results.hexdigest(), results.size))
        if unreadable is None:
            findings += _audit_findings(manifest, audit)
        else:
            findings.append(Finding(Check.ATTEMPTS, "failed", f"{RESULTS} cannot be read: {unreadable}"))
        return Report(
            tuple(findings),
            manifest,
            audit.run,
            audit.exported_at,
            audit.benchmarks,
            audit.tree.size,
            tuple(audit.recomputed),
        )

    def signature_findings(
        self, manifest: Document, signed: bytes, *, key_text: bytes, signature_text: bytes
    ) -> list[Finding]:
        """The findings about the key and about the signature."""
        key, signature = decoded(key_text), decoded(signature_text)
        if key is None:
            return [Finding(Check.KEY, "failed", f"{PUBLIC_KEY} is not a key in base64")]
        return [self._key_finding(manifest, key), self._signature_finding(key, signature, signed)]

    def _key_finding(self, manifest: Document, key: bytes) -> Finding:
        fingerprint = fingerprint_of(key)
        key_id = key_id_of(fingerprint)
        # Other formats name no short id of the key.
        stated_id = manifest.get("key_id") if is_known_format(manifest) else key_id
        if manifest.get("public_key_fingerprint") != fingerprint or stated_id != key_id:
            return Finding(Check.KEY, "failed", f"{PUBLIC_KEY} is not the key that the manifest names")
        if fingerprint in self.trust.fingerprints:
            return Finding(Check.KEY, "passed", f"key {key_id} is trusted")
        if self.trust.is_strict:
            return Finding(Check.KEY, "failed", f"key {key_id} is not trusted here")
        return Finding(
            Check.KEY,
            "unknown",
            f"who holds key {key_id}: compare it with the publisher's and use `assay verify --key`",
        )

    def _signature_finding(self, key: bytes, signature: bytes | None, signed: bytes) -> Finding:
        if signature is None:
            return Finding(Check.SIGNATURE, "failed", f"{SIGNATURE} is not a signature in base64")
        if not self.is_signed_by(key, signature, signed):
            return Finding(Check.SIGNATURE, "failed", f"the signature does not fit {MANIFEST} and the key")
        return Finding(Check.SIGNATURE, "passed", f"{MANIFEST} is signed by that key")


def parsed_manifest(signed: bytes) -> Document:
    stream = JsonStream(_reader(signed))
    value = stream.value()
    stream.end()
    if not isinstance(value, dict):
        raise BundleError(f"{MANIFEST} is not a JSON object")
    return value


def is_known_format(manifest: Document) -> bool:
    return (manifest.get("format"), manifest.get("signature_algorithm")) == (FORMAT, SIGNATURE_ALGORITHM)


def _unknown_format(manifest: Document) -> Finding:
    stated = manifest.get("format")
    name = f"the unknown format {stated!r}" if isinstance(stated, str) else "no format that is known here"
    detail = f"what the export says: {MANIFEST} has {name}, so that only its signature was checked"
    return Finding(Check.ARCHIVE, "unknown", detail)


def decoded(text: bytes) -> bytes | None:
    """Decode canonical base64; None for anything else."""
    try:
        content = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return content if base64.b64encode(content) == text else None


def _reader(content: bytes) -> Callable[[int], bytes]:
    pieces = iter((content,))
    return lambda _size: next(pieces, b"")


def _results_finding(manifest: Document, hexdigest: str, size: int) -> Finding:
    problems = Problems()
    if manifest.get("results_sha256") != hexdigest:
        problems.add(f"{RESULTS} is not the file that was signed: its SHA-256 is {hexdigest}")
    elif manifest.get("results_bytes") != size:
        problems.add(f"{RESULTS} has {size:,} bytes, the manifest says {manifest.get('results_bytes')!r}")
    return finding(Check.RESULTS_HASH, problems, f"SHA-256 of {RESULTS} ({size:,} bytes) is the signed one")


def _audit_findings(manifest: Document, audit: Audit) -> list[Finding]:
    count, evaluations = plural(audit.tree.size, "attempt"), plural(audit.benchmarks, "evaluation")
    aggregates = finding(
        Check.AGGREGATES, audit.aggregates, f"all figures of {evaluations} recomputed from {count}"
    )
    if audit.unchecked and aggregates.status == "passed":
        detail = f"whether these figures are right: {'; '.join(audit.unchecked)}; all others were recomputed"
        aggregates = Finding(Check.AGGREGATES, "unknown", detail)
    return [
        finding(Check.RUN_ID, _run_problems(manifest, audit), "manifest and results describe the same run"),
        finding(Check.ATTEMPTS, audit.attempts, f"{count}, each once, in order, and consistent"),
        finding(Check.MERKLE, _tree_problems(manifest, audit), f"the signed Merkle root covers the {count}"),
        finding(Check.FINGERPRINTS, audit.fingerprints, f"items and settings of {evaluations} match"),
        aggregates,
        *_stopping_finding(audit),
    ]


def _stopping_finding(audit: Audit) -> list[Finding]:
    if audit.stopping is None:
        return []
    passed = "each decision recomputed from the scores in the order in which the items were asked"
    return [finding(Check.STOPPING, audit.stopping, passed)]


def _run_problems(manifest: Document, audit: Audit) -> Problems:
    problems = Problems()
    pairs: tuple[tuple[str, Json, Json], ...] = (
        ("run", manifest.get("run_id"), audit.run.get("id")),
        ("status", manifest.get("run_status"), audit.run.get("status")),
        ("time", manifest.get("generated_at"), audit.exported_at),
    )
    for name, signed, stated in pairs:
        if signed != stated:
            problems.add(f"{name} is {signed!r} in the manifest and {stated!r} in the results")
    return problems


def _tree_problems(manifest: Document, audit: Audit) -> Problems:
    problems = Problems()
    try:
        merkle = inner(manifest, "merkle")
    except InvalidValueError as error:
        problems.add(error.message)
        return problems
    if merkle.get("algorithm") != ALGORITHM:
        problems.add(f"the tree uses the unknown algorithm {merkle.get('algorithm')!r}")
    if merkle.get("leaves") != audit.tree.size or merkle.get("root") != audit.tree.root().hex():
        problems.add(f"the {audit.tree.size:,} attempts do not give the Merkle root of the manifest")
    return problems
