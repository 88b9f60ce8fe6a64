"""Which keys a command trusts: those given, otherwise those of this installation."""

import re
from pathlib import Path

from assay.adapters.signing.ed25519 import read_public_key
from assay.bootstrap import keyring
from assay.engine.exports.bundle import fingerprint_of
from assay.engine.exports.verification.verify import Trust
from assay.settings import Settings

_FINGERPRINT = re.compile(r"[0-9a-f]{64}")


def trust_of(settings: Settings, keys: tuple[str, ...]) -> Trust:
    if keys:
        return Trust(frozenset(map(_fingerprint, keys)))
    return Trust(frozenset(keyring(settings).trusted()), is_strict=False)


def _fingerprint(key: str) -> str:
    """The fingerprint of a key that is given as a fingerprint, a file or the key itself."""
    bare = key.strip().lower().removeprefix("sha256:")
    if _FINGERPRINT.fullmatch(bare):
        return bare
    path = Path(key)
    try:
        is_file = path.is_file()
    except OSError:  # too long for a name: it is the key itself
        is_file = False
    return fingerprint_of(
        read_public_key(path.read_text(encoding="utf-8") if is_file else key, where="--key")
    )
