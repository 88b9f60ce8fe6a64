"""Types that all requests and responses use."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, JsonValue

from assay.api.wording import in_words_of_the_api
from assay.domain.benchmark_names import own_name
from assay.domain.calls.messages import Json
from assay.engine.fleet.queue_estimate import Spread


class Schema(BaseModel):
    """A response. Fields with a default are always sent, so they are required in the schema."""

    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)


class Body(BaseModel):
    """A request body. Types are strict, and unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


def _in_utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


def _encodable(text: str) -> str:
    """Models write unpaired surrogates, which UTF-8 cannot encode."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def plain_json(value: Json) -> JsonValue:
    """The same value as dicts and lists, with texts that UTF-8 can encode."""
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
# Named by a caller, maybe as another tool does.
BenchmarkName = Annotated[str, AfterValidator(own_name)]
# Written where it is not known whether a user of the API or of the command line will read it.
StoredMessage = Annotated[FreeText, AfterValidator(in_words_of_the_api)]


class Seconds(Schema):
    """Lower and upper bound, from now on."""

    low: float
    high: float

    @classmethod
    def of(cls, spread: Spread | None) -> Self | None:
        return None if spread is None else cls(low=spread.low_s, high=spread.high_s)


class FieldProblem(Schema):
    field: FreeText
    message: FreeText


class Problem(Schema):
    """Problem details (RFC 9457); `code` is stable and meant for programs, `detail` for people."""

    # Null values are left out of the response.
    model_config = ConfigDict(json_schema_serialization_defaults_required=False)

    type: str = "about:blank"
    title: str
    status: int
    detail: FreeText
    code: str
    instance: FreeText | None = Field(default=None, description="Path of the request")
    errors: list[FieldProblem] | None = Field(default=None, description="One entry per invalid field")
