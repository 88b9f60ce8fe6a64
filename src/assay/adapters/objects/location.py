"""Where the object store is, read from the setting without opening anything."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from assay.domain.errors import InvalidValueError

_SCHEMES = ("s3", "gs", "az")
_FORMS = "a folder, file:///folder, s3://bucket/prefix, gs://bucket/prefix or az://container/prefix"


@dataclass(frozen=True, slots=True)
class ObjectLocation:
    scheme: str
    url: str

    def __str__(self) -> str:
        return self.url


def object_location(value: str) -> ObjectLocation:
    """Raises InvalidValueError; credentials are given as variables, so that the address may be shown."""
    if "://" not in value:
        return ObjectLocation("file", Path(value).absolute().as_uri())
    try:
        url = urlsplit(value)
    except ValueError as error:
        raise _unusable("is no address") from error
    if "@" in url.netloc or url.query or url.fragment:
        raise _unusable("holds more than a place: give credentials as variables of the service")
    path = unquote(url.path)
    if url.scheme == "file" and not url.netloc and path not in {"", "/"}:
        return ObjectLocation("file", Path(path).as_uri())
    if url.scheme in _SCHEMES and url.netloc:
        return ObjectLocation(url.scheme, value.rstrip("/"))
    raise _unusable(f"is {value!r}")


def _unusable(fault: str) -> InvalidValueError:
    return InvalidValueError(f"setting ASSAY_OBJECT_STORE must be {_FORMS}; it {fault}")
