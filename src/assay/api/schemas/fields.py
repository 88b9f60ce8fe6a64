"""Types that every request and response uses."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, JsonValue

from assay.domain.messages import Json


class Schema(BaseModel):
    """A response. Fields with a default are always sent, and so are not optional for the reader."""

    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)


class Body(BaseModel):
    """What a caller sends. Numbers are numbers, and a field nobody reads is refused instead of ignored."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


def _in_utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


def _encodable(text: str) -> str:
    """Models write halves of surrogate pairs, which JSON text in UTF-8 cannot carry."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def plain_json(value: Json) -> JsonValue:
    """The same value in the types of the standard library's JSON, fit for UTF-8."""
    if isinstance(value, str):
        return _encodable(value)
    if isinstance(value, Mapping):
        return json_object(value)
    if isinstance(value, Sequence):
        return [plain_json(member) for member in value]
    return value


def json_object(members: Mapping[str, Json]) -> dict[str, JsonValue]:
    return {_encodable(name): plain_json(member) for name, member in members.items()}


def _free_text(value: object) -> object:
    return _encodable(value) if isinstance(value, str) else value


Moment = Annotated[datetime, AfterValidator(_in_utc)]
FreeText = Annotated[str, BeforeValidator(_free_text)]
