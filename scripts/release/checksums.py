"""SHA256SUMS in the form of coreutils, and its Ed25519 signature in the form of OpenSSL."""

import hashlib
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from assay.adapters.signing.ed25519 import Ed25519Signer

SUMS, SIGNATURE, PUBLIC_KEY = "SHA256SUMS", "SHA256SUMS.sig", "release-key.pem"


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sign(folder: Path, signer: Ed25519Signer) -> None:
    """Add the checksums of all files of the folder, their signature and the public key."""
    lines = [f"{sha256_of(path)}  {path.name}\n" for path in sorted(folder.iterdir())]
    sums = "".join(lines).encode()
    public = Ed25519PublicKey.from_public_bytes(signer.public_key).public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    (folder / SUMS).write_bytes(sums)
    (folder / SIGNATURE).write_bytes(signer.sign(sums))
    (folder / PUBLIC_KEY).write_bytes(public)
