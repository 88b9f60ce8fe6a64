"""The object store of an installation: a folder, S3 and what speaks like it, Google Cloud, Azure.

Imported where one is set up alone: `obstore` is optional.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar, cast

import obstore
from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError
from obstore.store import AzureStore, GCSStore, LocalStore, ObjectStore, S3Store

from assay.adapters.objects.copies import LocalCopies
from assay.adapters.objects.location import ObjectLocation
from assay.domain.errors import ObjectStoreAwayError, ObjectStoreError

if TYPE_CHECKING:
    from obstore import ObjectMeta
    from obstore.store import BackoffConfig, ClientConfig, RetryConfig

_T = TypeVar("_T")

# What fails for longer is tried again by the worker, which in the end pauses the run.
_RETRIES = 6
_RETRIED_FOR = timedelta(seconds=20)
_BACKOFF: "BackoffConfig" = {
    "init_backoff": timedelta(milliseconds=100),
    "max_backoff": timedelta(seconds=4),
    "base": 2,
}
_CONNECT_TIMEOUT = timedelta(seconds=5)
_REQUEST_TIMEOUT = timedelta(seconds=60)
# A large file is read in pieces, each in a request with its own time-out and tries.
_PIECE_BYTES = 16 * 1024 * 1024
_SHOWN_CHARACTERS = 300
_KINDS = {"s3": S3Store, "gs": GCSStore, "az": AzureStore}
_VARIABLES = {
    "s3": (
        "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION",
        "AWS_ENDPOINT_URL", "AWS_VIRTUAL_HOSTED_STYLE_REQUEST", "AWS_SKIP_SIGNATURE",
        "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN", "AWS_ROLE_SESSION_NAME",
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
        "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
    ),
    "gs": ("GOOGLE_SERVICE_ACCOUNT", "GOOGLE_SERVICE_ACCOUNT_KEY", "GOOGLE_APPLICATION_CREDENTIALS"),
    "az": (
        "AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_ACCOUNT_KEY", "AZURE_STORAGE_SAS_KEY",
        "AZURE_STORAGE_CLIENT_ID", "AZURE_STORAGE_CLIENT_SECRET", "AZURE_STORAGE_TENANT_ID",
        "AZURE_STORAGE_ENDPOINT", "AZURE_FEDERATED_TOKEN_FILE",
    ),
}  # fmt: skip
_ENDPOINTS = frozenset({"AWS_ENDPOINT_URL", "AZURE_STORAGE_ENDPOINT"})
# As in Amazon's own clients, the address of one service wins over that of all.
_S3_ENDPOINT = "AWS_ENDPOINT_URL_S3"
_SECRET = ("KEY", "SECRET", "SESSION_TOKEN")
_NO_BUCKET = ("NoSuchBucket", "ContainerNotFound")


class SharedObjects:
    """Nothing is opened before the first call. Several threads may use one."""

    def __init__(
        self,
        location: ObjectLocation,
        environment: Mapping[str, str],
        copies: LocalCopies,
        *,
        retries: int = _RETRIES,
    ) -> None:
        self._location = location
        self._copies = copies
        self._retries: RetryConfig = {
            "max_retries": retries,
            "retry_timeout": _RETRIED_FOR,
            "backoff": _BACKOFF,
        }
        known = _VARIABLES.get(location.scheme, ())
        self._variables = {name: environment[name] for name in known if environment.get(name)}
        if location.scheme == "s3" and environment.get(_S3_ENDPOINT):
            self._variables["AWS_ENDPOINT_URL"] = environment[_S3_ENDPOINT]

    def put(self, name: str, content: bytes | Path) -> None:
        if self._call(name, lambda: obstore.put(self._store, name, content)) is None:
            raise self._no_bucket()

    def read(self, name: str) -> bytes | None:
        return self._call(name, lambda: bytes(obstore.get(self._store, name).bytes()))

    def local_copy(self, name: str, sha256: str) -> Path | None:
        return self._copies.get(name, sha256, lambda file: self._fetch(name, file))

    def remove(self, names: Collection[str]) -> None:
        # One by one: of several in one request, a folder stops at the first that is not there.
        for name in names:
            self._remove(name)

    def _remove(self, name: str) -> None:
        self._call(name, lambda: obstore.delete(self._store, name))

    def names(self, prefix: str) -> Sequence[str]:
        found = self._call(prefix, lambda: [one["path"] for part in self._list(prefix) for one in part])
        if found is None:
            raise self._no_bucket()
        return found

    def _list(self, prefix: str) -> "Iterator[Sequence[ObjectMeta]]":
        return obstore.list(self._store, prefix, return_arrow=False)  # pyright: ignore[reportUnknownMemberType] # an overload is for pyarrow

    def _fetch(self, name: str, file: BinaryIO) -> bool:
        """Whether there is such an object, which is then written to the file."""
        found = self._call(name, lambda: obstore.head(self._store, name))
        if found is None:
            return False
        size = found["size"]
        return all(
            self._fetch_piece(name, file, start=start, end=min(start + _PIECE_BYTES, size))
            for start in range(0, size, _PIECE_BYTES)
        )

    def _fetch_piece(self, name: str, file: BinaryIO, *, start: int, end: int) -> bool:
        piece = self._call(name, lambda: obstore.get_range(self._store, name, start=start, end=end))
        if piece is not None:
            file.write(piece)
        return piece is not None

    @cached_property
    def _store(self) -> ObjectStore:
        kind = _KINDS.get(self._location.scheme)
        try:
            if kind is None:
                return LocalStore.from_url(self._location.url, mkdir=True)
            # The names of variables are names of its settings too, which its types leave out.
            config = cast("Any", self._variables)
            return kind.from_url(
                self._location.url, config=config, client_options=self._options(), retry_config=self._retries
            )
        except (BaseError, OSError, ValueError) as error:
            raise ObjectStoreError(
                f"the object store {self._location} cannot be used: {self._shown(error)};"
                f" look at {self._remedy}"
            ) from error

    def _options(self) -> "ClientConfig":
        plain = any(self._variables.get(name, "").startswith("http://") for name in _ENDPOINTS)
        return {"timeout": _REQUEST_TIMEOUT, "connect_timeout": _CONNECT_TIMEOUT, "allow_http": plain}

    def _call(self, name: str, call: Callable[[], _T]) -> _T | None:
        """What it returns; None if there is no such object."""
        try:
            return call()
        except FileNotFoundError as error:
            if any(code in str(error) for code in _NO_BUCKET):
                raise self._no_bucket() from error
            return None
        except (PermissionDeniedError, UnauthenticatedError, PermissionError) as error:
            raise ObjectStoreError(
                f"{self._location} refuses access to {name!r}: {self._shown(error)}; look at {self._remedy}"
            ) from error
        except (BaseError, OSError) as error:
            raise ObjectStoreAwayError(
                f"the object store {self._location} fails for {name!r}: {self._shown(error)}"
            ) from error

    def _no_bucket(self) -> ObjectStoreError:
        return ObjectStoreError(f"the object store {self._location} does not exist; create its bucket")

    @property
    def _remedy(self) -> str:
        known = _VARIABLES.get(self._location.scheme)
        return "the rights of the folder" if known is None else f"the variables {known[0]} and so on"

    def _shown(self, error: Exception) -> str:
        """The first line, without what is secret."""
        text = (str(error).strip() or type(error).__name__).splitlines()[0]
        for variable, value in self._variables.items():
            if any(word in variable for word in _SECRET):
                text = text.replace(value, "…")
        return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"
