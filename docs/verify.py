"""Verifies a signed Assay export with nothing but the `cryptography` package: python verify.py FILE KEY."""

import base64
import hashlib
import json
import sys
import zipfile

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def tree_root(leaves: list[bytes]) -> bytes:
    """RFC 6962: split at the largest power of two below the count."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    half = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(b"\x01" + tree_root(leaves[:half]) + tree_root(leaves[half:])).digest()


def canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def verify(path: str, key: str) -> dict:
    if not zipfile.is_zipfile(path):
        raise ValueError("archive: not an Assay export")
    with zipfile.ZipFile(path) as archive:
        if sorted(archive.namelist()) != ["manifest.json", "public_key.txt", "results.json", "signature.txt"]:
            raise ValueError("archive: not an Assay export, which has four members")
        parts = {name: archive.read(name) for name in archive.namelist()}
    signed, public_key = parts["manifest.json"], base64.b64decode(key, validate=True)
    if parts["public_key.txt"] != base64.b64encode(public_key):
        raise ValueError("key: signed with another key than the one given")
    signature = base64.b64decode(parts["signature.txt"], validate=True)
    if base64.b64encode(signature) != parts["signature.txt"]:
        raise ValueError("signature: not in its canonical form")
    Ed25519PublicKey.from_public_bytes(public_key).verify(signature, signed)  # raises InvalidSignature
    manifest, results = json.loads(signed), json.loads(parts["results.json"])
    if manifest.get("format") != "assay-export/1":
        raise ValueError("format: unknown; the signature is valid, and nothing else was checked")
    if manifest["public_key_fingerprint"] != hashlib.sha256(public_key).hexdigest():
        raise ValueError("key: the manifest names another one")
    if manifest["results_sha256"] != hashlib.sha256(parts["results.json"]).hexdigest():
        raise ValueError("results-hash: the results are not those that were signed")
    if manifest["run_id"] != results["run"]["id"]:
        raise ValueError("run-id: manifest and results are of different runs")
    attempts = [canonical(item) for one in results["benchmarks"] for item in one["items"]]
    root = tree_root([hashlib.sha256(b"\x00" + attempt).digest() for attempt in attempts])
    if manifest["merkle"]["root"] != root.hex() or manifest["merkle"]["leaves"] != len(attempts):
        raise ValueError("merkle: the attempts do not give the signed root")
    for one in results["benchmarks"]:
        after = one.get("decision", {}).get("after", sys.maxsize)  # a run that stopped scores its first items
        first = {item["item_id"] for item in one["asked_items"] if item.get("place", 0) < after}
        scored = [item for item in one["items"] if item["item_id"] in first and item["score"] is not None]
        scores = [item["score"] for item in scored]
        mean = sum(scores) / len(scores) if scores else None
        if (mean is None) != (one["score"] is None) or (scores and abs(mean - one["score"]) > 1e-9):
            raise ValueError(f"aggregates: the score of {one['benchmark_name']} is not that of its attempts")
    return results


if __name__ == "__main__":
    run = verify(sys.argv[1], sys.argv[2])["run"]
    print(f"run {run['id']} of {run['model_slug']} is as it was signed")
