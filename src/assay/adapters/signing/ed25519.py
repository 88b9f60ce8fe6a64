"""Ed25519 keys as base64 of the raw bytes, or as PEM."""

import base64
import binascii

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from assay.domain.errors import InvalidValueError

KEY_BYTES = 32
_PEM = "-----BEGIN"


class Ed25519Signer:
    def __init__(self, private_key: Ed25519PrivateKey) -> None:
        self._private_key = private_key
        self.public_key = private_key.public_key().public_bytes_raw()

    def __repr__(self) -> str:
        return f"Ed25519Signer(public_key={base64.b64encode(self.public_key).decode()!r})"

    @classmethod
    def generated(cls) -> "Ed25519Signer":
        return cls(Ed25519PrivateKey.generate())

    def sign(self, message: bytes) -> bytes:
        return self._private_key.sign(message)

    def private_text(self) -> str:
        """Base64 of the raw private key, for a file that only its owner can read."""
        return base64.b64encode(self._private_key.private_bytes_raw()).decode()


def is_signed_by(public_key: bytes, signature: bytes, message: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def read_private_key(text: str, *, where: str) -> Ed25519Signer:
    """Raises InvalidValueError, which never quotes the key."""
    if _PEM in text:
        try:
            key = serialization.load_pem_private_key(_with_lines(text).encode(), password=None)
        except (ValueError, TypeError) as error:
            raise _unreadable(where, "an Ed25519 private key") from error
        if not isinstance(key, Ed25519PrivateKey):
            raise _unreadable(where, "an Ed25519 private key")
        return Ed25519Signer(key)
    return Ed25519Signer(Ed25519PrivateKey.from_private_bytes(_raw(text, where, "an Ed25519 private key")))


def read_public_key(text: str, *, where: str) -> bytes:
    if _PEM in text:
        try:
            key = serialization.load_pem_public_key(_with_lines(text).encode())
        except ValueError as error:
            raise _unreadable(where, "an Ed25519 public key") from error
        if not isinstance(key, Ed25519PublicKey):
            raise _unreadable(where, "an Ed25519 public key")
        return key.public_bytes_raw()
    return _raw(text, where, "an Ed25519 public key")


def _raw(text: str, where: str, what: str) -> bytes:
    try:
        raw = base64.b64decode(text.strip(), validate=True)
    except (binascii.Error, ValueError) as error:
        raise _unreadable(where, what) from error
    if len(raw) != KEY_BYTES:
        raise _unreadable(where, what)
    return raw


def _with_lines(text: str) -> str:
    """Environment variables often carry PEM with its line breaks written as backslash and n."""
    return text.replace("\\n", "\n")


def _unreadable(where: str, what: str) -> InvalidValueError:
    return InvalidValueError(
        f"{where} is not {what}: give base64 of its {KEY_BYTES} raw bytes, or PEM; `assay keys` creates one"
    )
