"""Encrypts keys with Fernet, under the newest of the installation's keys."""

import hashlib
import hmac
import os
from base64 import urlsafe_b64decode
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from assay.domain.access.secret import Secret
from assay.domain.errors import ConflictError, InvalidValueError, StoreError, UnauthorizedError

VARIABLE = "ASSAY_SECRET_KEY"
_OWNER_ONLY = 0o600
_PSEUDONYM_DIGITS = 16
# The new key, and the one before it, which a process may still have used while the new one was made.
_KEPT_KEYS = 2


class FernetVault:
    """The keys come from the settings, or from a file that is created when first needed.

    The first key encrypts, all of them decrypt. The file is read again once it has changed.
    """

    def __init__(self, path: Path, *, key: str | None = None) -> None:
        """`key` may hold several with commas between, the newest first."""
        self._path = path
        self._configured = [part.strip() for part in (key or "").split(",") if part.strip()]
        self._read: tuple[tuple[int, int], list[bytes]] | None = None

    def seal(self, key: Secret) -> bytes:
        return Fernet(self._keys()[0]).encrypt(key.value.encode())

    def unseal(self, sealed: bytes) -> Secret:
        return Secret(self._opened(sealed, self._keys()).decode())

    def resealed(self, sealed: bytes) -> bytes:
        """The same secret under the newest key."""
        newest, *older = self._keys()
        try:
            Fernet(newest).decrypt(sealed)
        except InvalidToken:
            return Fernet(newest).encrypt(self._opened(sealed, older))
        return sealed

    def pseudonym(self, key: Secret) -> str:
        return self.pseudonyms(key)[0]

    def pseudonyms(self, key: Secret) -> tuple[str, ...]:
        return tuple(_pseudonym(key, own) for own in self._keys())

    def add_key(self) -> None:
        """Encrypt under a new key from now on; raises ConflictError where the settings hold the keys."""
        if len(self._configured) > 1:
            return
        if self._configured:
            raise ConflictError(
                f"{VARIABLE} holds one key: put a new one before it, with a comma between,"
                " wherever the API or a worker runs, and start this again"
            )
        kept = [Fernet.generate_key(), *self._keys()][:_KEPT_KEYS]
        fresh = self._written(kept)
        try:
            fresh.replace(self._path)
        except OSError as error:
            raise self._unusable(error) from error

    def _opened(self, sealed: bytes, keys: list[bytes]) -> bytes:
        try:
            return MultiFernet([Fernet(own) for own in keys]).decrypt(sealed) if keys else _refuse()
        except InvalidToken as error:
            raise UnauthorizedError(
                f"the key of this run cannot be decrypted here: give {VARIABLE} the same value"
                " wherever the API or a worker runs"
            ) from error

    def _keys(self) -> list[bytes]:
        if self._configured:
            return [self._checked(one.encode(), VARIABLE) for one in self._configured]
        try:
            return self._stored() or self._created()
        except OSError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: OSError) -> StoreError:
        return StoreError(
            f"the key {str(self._path)!r} cannot be used: {error.strerror};"
            f" make its folder writable, or set {VARIABLE}"
        )

    def _checked(self, key: bytes, where: str) -> bytes:
        try:
            Fernet(key)
        except ValueError as error:
            raise InvalidValueError(f"{where} must hold 32 bytes as URL-safe base64") from error
        return key

    def _stored(self) -> list[bytes]:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return []
        version = found.st_mtime_ns, found.st_ino
        if self._read is None or self._read[0] != version:
            where = repr(str(self._path))
            keys = [self._checked(one, where) for one in self._path.read_bytes().split()]
            self._read = version, keys
        return self._read[1]

    def _created(self) -> list[bytes]:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = self._written([Fernet.generate_key()])
        try:
            # If several processes start at once, one puts its key in place and the others use it.
            os.link(fresh, self._path)
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
        return self._stored()

    def _written(self, keys: list[bytes]) -> Path:
        """A file beside the one that is used."""
        fresh = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        fresh.unlink(missing_ok=True)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
        with os.fdopen(descriptor, "wb") as file:
            file.write(b"\n".join(keys))
            file.flush()
            os.fsync(file.fileno())
        return fresh


def _refuse() -> bytes:
    raise InvalidToken


def _pseudonym(key: Secret, own: bytes) -> str:
    digest = hmac.new(urlsafe_b64decode(own), key.value.encode(), hashlib.sha256).hexdigest()
    return f"key-{digest[:_PSEUDONYM_DIGITS]}"
