"""What a run needs before it can start, as a response."""

from typing import Literal

from pydantic import Field

from assay.api.schemas.fields import FreeText, Schema, StoredMessage


class PreflightCheck(Schema):
    """One thing that a run needs, and whether it is there."""

    role: Literal["model", "benchmark", "judge", "user_model"] = Field(
        description="What `name` is in the run"
    )
    name: FreeText
    needs: Literal["endpoint", "data", "sandbox", "judge", "user_model"] = Field(
        description="`endpoint` means a known provider, its key, and an answer that lists the model"
    )
    is_ready: bool
    message: StoredMessage = Field(description="What is there, or what is missing and what to do")


class Preflight(Schema):
    """Models come first, then benchmarks, each in the order of the request."""

    checks: tuple[PreflightCheck, ...]
    is_ready: bool = Field(description="Whether nothing is missing")
