"""The body of every error response."""

from pydantic import Field

from assay.api.schemas.fields import FreeText, Schema


class FieldProblem(Schema):
    field: str
    message: FreeText


class Problem(Schema):
    """Problem details (RFC 9457); `code` is stable and meant for programs, `detail` for people."""

    type: str = "about:blank"
    title: str
    status: int
    detail: FreeText
    code: str
    instance: str | None = Field(default=None, description="Path of the request")
    errors: list[FieldProblem] | None = Field(default=None, description="One entry per invalid field")
