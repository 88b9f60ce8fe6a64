"""The keys of an installation: one that signs, and every public key it has signed with."""

import os
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from assay.adapters.signing.ed25519 import Ed25519Signer, read_private_key, read_public_key
from assay.domain.errors import InvalidValueError, SigningKeyMissingError, StoreError
from assay.engine.exports.bundle import fingerprint_of, key_id_of

PRIVATE_VARIABLE, PUBLIC_VARIABLE = "BENCH_SIGNING_PRIVATE_KEY", "BENCH_SIGNING_PUBLIC_KEY"
_PRIVATE_FILE = "signing.key"
_PUBLIC_SUFFIX = ".pub"
_OWNER_ONLY = 0o600


@dataclass(frozen=True, slots=True)
class KnownKey:
    public_key: bytes
    is_current: bool
    since: datetime | None

    @property
    def fingerprint(self) -> str:
        return fingerprint_of(self.public_key)

    @property
    def key_id(self) -> str:
        return key_id_of(self.fingerprint)


class Keyring:
    """Keys in a folder of the installation; a key from the settings takes precedence."""

    def __init__(
        self, folder: Path, *, private_key: str | None = None, public_key: str | None = None
    ) -> None:
        self._folder = folder
        self._private_key = private_key
        self._public_key = public_key

    def signer(self) -> Ed25519Signer:
        """The signing key, created on first use; its public key is trusted here from then on.

        Raises SigningKeyMissingError where only a public key is configured.
        """
        signer = self._own()
        if signer is None and self._public_key is not None:
            raise SigningKeyMissingError(
                f"this installation only verifies exports, because {PUBLIC_VARIABLE} is set without a private"
                f" key: to sign exports here, set {PRIVATE_VARIABLE} too, or leave {PUBLIC_VARIABLE} out"
            )
        signer = signer or self._created()
        self._keep_public(signer.public_key)
        return signer

    def rotate(self) -> Ed25519Signer:
        """Sign with a new key from now on; signatures of the old one stay verifiable."""
        if self._private_key is not None:
            raise InvalidValueError(
                f"the signing key comes from {PRIVATE_VARIABLE}: put a new one there and restart;"
                " the old public key stays trusted here"
            )
        self.signer()
        signer = Ed25519Signer.generated()
        fresh = self._path.with_suffix(".new")
        self._write_private(fresh, signer)
        fresh.replace(self._path)
        self._keep_public(signer.public_key)
        return signer

    def trusted(self) -> Mapping[str, bytes]:
        """Public keys by fingerprint; creates no key."""
        return {one.fingerprint: one.public_key for one in self.known()}

    def known(self) -> tuple[KnownKey, ...]:
        """The current key first, then the older ones, newest first."""
        own = self._own()
        current_key = own.public_key if own else self._configured_public()
        found = {key.public_key: key for key in self._kept(current_key)}
        if current_key is not None and current_key not in found:
            found[current_key] = KnownKey(current_key, is_current=True, since=None)
        oldest = datetime.min.replace(tzinfo=UTC)
        newest_first = sorted(found.values(), key=lambda key: key.since or oldest, reverse=True)
        return tuple(sorted(newest_first, key=lambda key: not key.is_current))

    @property
    def has_private_key(self) -> bool:
        return self._own() is not None

    @property
    def _path(self) -> Path:
        return self._folder / _PRIVATE_FILE

    def _own(self) -> Ed25519Signer | None:
        """The private key of this installation; one that does not fit a configured public key is not used."""
        configured, public = self._configured(), self._configured_public()
        if configured is not None:
            return configured
        stored = self._stored()
        return None if stored and public not in (None, stored.public_key) else stored

    def _configured(self) -> Ed25519Signer | None:
        if self._private_key is None:
            return None
        signer = read_private_key(self._private_key, where=PRIVATE_VARIABLE)
        public = self._configured_public()
        if public is not None and public != signer.public_key:
            raise InvalidValueError(f"{PUBLIC_VARIABLE} does not belong to {PRIVATE_VARIABLE}; leave it out")
        return signer

    def _configured_public(self) -> bytes | None:
        if self._public_key is None:
            return None
        return read_public_key(self._public_key, where=PUBLIC_VARIABLE)

    def _stored(self) -> Ed25519Signer | None:
        try:
            return read_private_key(self._path.read_text(encoding="ascii"), where=repr(str(self._path)))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unusable(self._path, error) from error

    def _created(self) -> Ed25519Signer:
        signer = Ed25519Signer.generated()
        fresh = self._folder / f"{_PRIVATE_FILE}.{os.getpid()}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._write_private(fresh, signer)
            try:
                # If several processes start at once, one puts its key in place and the others use it.
                os.link(fresh, self._path)
            except FileExistsError:
                return self._stored() or signer
            finally:
                fresh.unlink()
        except OSError as error:
            raise _unusable(self._path, error) from error
        return signer

    @staticmethod
    def _write_private(path: Path, signer: Ed25519Signer) -> None:
        path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(signer.private_text())
            file.flush()
            os.fsync(file.fileno())

    def _keep_public(self, public_key: bytes) -> None:
        path = self._folder / f"{key_id_of(fingerprint_of(public_key))}{_PUBLIC_SUFFIX}"
        if path.exists():
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            path.write_text(b64encode(public_key).decode(), encoding="ascii")
        except OSError as error:
            raise _unusable(path, error) from error

    def _kept(self, current: bytes | None) -> list[KnownKey]:
        found: list[KnownKey] = []
        for path in sorted(self._folder.glob(f"*{_PUBLIC_SUFFIX}")):
            key = read_public_key(path.read_text(encoding="utf-8"), where=repr(str(path)))
            since = datetime.fromtimestamp(path.stat().st_mtime, tz=UTC)
            found.append(KnownKey(key, is_current=key == current, since=since))
        return found


def _unusable(path: Path, error: OSError) -> StoreError:
    return StoreError(
        f"the signing key {str(path)!r} cannot be used: {error.strerror};"
        f" make its folder writable, or set {PRIVATE_VARIABLE}"
    )
