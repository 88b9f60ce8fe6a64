"""The body of every error response."""

from pydantic import ConfigDict, Field

from assay.api.schemas.fields import FreeText, Schema


class FieldProblem(Schema):
    field: FreeText
    message: FreeText


class Problem(Schema):
    """Problem details (RFC 9457); `code` is stable and meant for programs, `detail` for people."""

    # What is null here is left out.
    model_config = ConfigDict(json_schema_serialization_defaults_required=False)

    type: str = "about:blank"
    title: str
    status: int
    detail: FreeText
    code: str
    instance: FreeText | None = Field(default=None, description="Path of the request")
    errors: list[FieldProblem] | None = Field(default=None, description="One entry per invalid field")
