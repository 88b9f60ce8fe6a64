"""Proves one attempt of a bundle by its Merkle path, without showing the others."""

import json
from dataclasses import dataclass
from typing import BinaryIO

from assay.domain.calls.messages import Json
from assay.domain.errors import InvalidValueError, UnknownNameError
from assay.domain.stats import plural
from assay.engine.exports.archive import NotAnExportError, opened_archive
from assay.engine.exports.bundle import MANIFEST, PUBLIC_KEY, SIGNATURE
from assay.engine.exports.json_stream import JsonStream, MalformedError, whole_number
from assay.engine.exports.merkle import inclusion_path, leaf_hash, root_of_path
from assay.engine.exports.reading import Document, inner, integer, members, text
from assay.engine.exports.verification.checks import Check, Finding, Report
from assay.engine.exports.verification.verify import Verifier, is_known_format, parsed_manifest

PROOF_FORMAT = "assay-proof/1"
MAX_PROOF_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class AttemptSelector:
    """Selects an attempt; benchmark and model are needed only if several have the item."""

    item_id: str
    sample: int = 0
    benchmark: str | None = None
    model: str | None = None

    def matches(self, attempt: Document) -> bool:
        return (
            attempt.get("item_id") == self.item_id
            and attempt.get("sample") == self.sample
            and self.benchmark in (None, attempt.get("benchmark"))
            and self.model in (None, attempt.get("model"))
        )

    def __str__(self) -> str:
        of = "".join(f" of {name}" for name in (self.benchmark, self.model) if name)
        return f"{self.item_id} (sample {self.sample}){of}"


def make_proof(file: BinaryIO, selector: AttemptSelector) -> dict[str, Json]:
    """A self-contained proof; raises UnknownNameError, or InvalidValueError if several attempts match."""
    with opened_archive(file) as archive:
        parts = {name: archive.small(name) for name in (MANIFEST, SIGNATURE, PUBLIC_KEY)}
        with archive.results() as results:
            leaves, found = _leaves(archive.stream(results), selector)
    if not found:
        raise UnknownNameError("attempt in this bundle", str(selector))
    if len(found) > 1:
        raise InvalidValueError(f"{len(found)} attempts match {selector}: add the benchmark and the model")
    [(index, raw)] = found
    return {
        "format": PROOF_FORMAT,
        "manifest": parts[MANIFEST].decode(),
        "signature": parts[SIGNATURE].decode(),
        "public_key": parts[PUBLIC_KEY].decode(),
        "attempt": raw,
        "leaf_index": index,
        "path": [one.hex() for one in inclusion_path(leaves, index)],
    }


def _leaves(stream: JsonStream, selector: AttemptSelector) -> tuple[list[bytes], list[tuple[int, str]]]:
    leaves, found = list[bytes](), list[tuple[int, str]]()
    for key in stream.members():
        if key != "benchmarks":
            stream.value()
            continue
        for _ in stream.elements():
            for part in stream.members():
                if part != "items":
                    stream.value()
                    continue
                for _ in stream.elements():
                    raw, value = stream.raw_value()
                    if isinstance(value, dict) and selector.matches(value):
                        found.append((len(leaves), raw))
                    leaves.append(leaf_hash(raw.encode("utf-8", "surrogatepass")))
    return leaves, found


def parsed_proof(content: bytes) -> Document:
    try:
        value: Json = json.loads(content, parse_int=whole_number)
    except (ValueError, RecursionError) as error:
        raise NotAnExportError("it is neither a ZIP archive nor the proof of an attempt") from error
    if not isinstance(value, dict) or value.get("format") != PROOF_FORMAT:
        raise NotAnExportError(f"it is JSON, but not a proof of format {PROOF_FORMAT!r}")
    return value


def verify_proof(
    verifier: Verifier, content: bytes, *, item_id: str | None = None
) -> tuple[Report, Document]:
    """The report, and the attempt it is about."""
    try:
        proof = parsed_proof(content)
        signed = text(proof, "manifest").encode()
        manifest = parsed_manifest(signed)
        if not is_known_format(manifest):
            raise MalformedError(f"{MANIFEST} in it has an unknown format")
        key, signature = text(proof, "public_key").encode(), text(proof, "signature").encode()
        attempt = parsed_attempt(text(proof, "attempt"))
        findings = [
            Finding(Check.ARCHIVE, "passed", "the file is a proof of one attempt"),
            *verifier.signature_findings(manifest, signed, key_text=key, signature_text=signature),
            _path_finding(manifest, proof),
        ]
    except NotAnExportError as error:
        return Report.of_other_file(error.message), {}
    except InvalidValueError as error:
        return Report((Finding(Check.ARCHIVE, "failed", error.message),)), {}
    if item_id is not None and attempt.get("item_id") != item_id:
        detail = f"the proof is about item {attempt.get('item_id')!r}, not {item_id!r}"
        findings.append(Finding(Check.ITEM, "failed", detail))
    else:
        findings.append(Finding(Check.ITEM, "passed", f"item {attempt.get('item_id')!r} was signed"))
    return Report(tuple(findings), manifest, attempts=1), attempt


def parsed_attempt(raw: str) -> Document:
    try:
        value: Json = json.loads(raw, parse_int=whole_number)
    except (ValueError, RecursionError) as error:
        raise MalformedError("the attempt is not JSON") from error
    if not isinstance(value, dict):
        raise MalformedError("the attempt is not an object")
    return value


def _path_finding(manifest: Document, proof: Document) -> Finding:
    tree = inner(manifest, "merkle")
    root = root_of_path(
        leaf_hash(text(proof, "attempt").encode("utf-8", "surrogatepass")),
        index=integer(proof, "leaf_index"),
        size=integer(tree, "leaves"),
        path=[_hash(one) for one in members(proof, "path")],
    )
    if root is None or root.hex() != tree.get("root"):
        return Finding(Check.MERKLE, "failed", "the attempt and its path do not lead to the signed root")
    count = plural(integer(tree, "leaves"), "attempt")
    return Finding(Check.MERKLE, "passed", f"the path leads to the signed root of {count}")


def _hash(value: Json) -> bytes:
    try:
        return bytes.fromhex(value) if isinstance(value, str) else b""
    except ValueError:
        return b""
