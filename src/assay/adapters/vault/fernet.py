"""Encrypts keys with Fernet, under one key of the installation."""

import hashlib
import hmac
import os
from base64 import urlsafe_b64decode
from functools import cached_property
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken

from assay.domain.errors import InvalidValueError, StoreError, UnauthorizedError
from assay.domain.secret import Secret

VARIABLE = "ASSAY_SECRET_KEY"
_OWNER_ONLY = 0o600
_PSEUDONYM_DIGITS = 16


class FernetVault:
    """The installation's key comes from the settings, or from a file that is created when first needed."""

    def __init__(self, path: Path, *, key: str | None = None) -> None:
        self._path = path
        self._configured = (key or "").strip()

    def seal(self, key: Secret) -> bytes:
        return self._fernet.encrypt(key.value.encode())

    def unseal(self, sealed: bytes) -> Secret:
        try:
            return Secret(self._fernet.decrypt(sealed).decode())
        except InvalidToken as error:
            raise UnauthorizedError(
                f"the key of this run cannot be decrypted here: give {VARIABLE} the same value"
                " wherever the API or a worker runs"
            ) from error

    def pseudonym(self, key: Secret) -> str:
        digest = hmac.new(urlsafe_b64decode(self._key), key.value.encode(), hashlib.sha256).hexdigest()
        return f"key-{digest[:_PSEUDONYM_DIGITS]}"

    @cached_property
    def _fernet(self) -> Fernet:
        return Fernet(self._key)

    @cached_property
    def _key(self) -> bytes:
        key = self._found()
        try:
            Fernet(key)
        except ValueError as error:
            where = VARIABLE if self._configured else repr(str(self._path))
            raise InvalidValueError(f"{where} must hold 32 bytes as URL-safe base64") from error
        return key

    def _found(self) -> bytes:
        if self._configured:
            return self._configured.encode()
        try:
            return self._stored() or self._created()
        except OSError as error:
            raise StoreError(
                f"the key {str(self._path)!r} cannot be used: {error.strerror};"
                f" make its folder writable, or set {VARIABLE}"
            ) from error

    def _stored(self) -> bytes | None:
        try:
            return self._path.read_bytes().strip()
        except FileNotFoundError:
            return None

    def _created(self) -> bytes:
        key = Fernet.generate_key()
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        fresh.unlink(missing_ok=True)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
        with os.fdopen(descriptor, "wb") as file:
            file.write(key)
            file.flush()
            os.fsync(file.fileno())
        try:
            # If several processes start at once, one puts its key in place and the others use it.
            os.link(fresh, self._path)
        except FileExistsError:
            return self._path.read_bytes().strip()
        finally:
            fresh.unlink()
        return key
