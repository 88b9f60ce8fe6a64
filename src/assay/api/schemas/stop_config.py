"""The stopping rule in a request for a run."""

from typing import Annotated

from pydantic import Field

from assay.api.schemas.fields import Body
from assay.domain.errors import InvalidValueError
from assay.domain.stopping import DEFAULT_ALPHA, DEFAULT_MARGIN, StopRule, Until


class StopConfig(Body):
    """When the run ends; models are compared with each other unless there is a condition."""

    margin: float = Field(
        default=DEFAULT_MARGIN,
        gt=0,
        le=0.5,
        description="A smaller difference does not matter; 0.01 is 1 point",
    )
    alpha: float = Field(
        default=DEFAULT_ALPHA, gt=0, lt=0.5, description="Chance that anything claimed of the run is wrong"
    )
    until: Until = Field(
        default="decided",
        description="`decided`: better, worse or equivalent; `equivalent`: whether they are;"
        " `better`: which of them is",
    )
    when: Annotated[str, Field(min_length=1, max_length=100)] | None = Field(
        default=None, description="A condition such as `score > 0.8`: ends once each score is above or below"
    )

    def rule(self) -> StopRule:
        """Raises InvalidValueError."""
        if self.when is None:
            return StopRule(self.margin, self.alpha, self.until)
        if not self.model_fields_set <= {"when", "alpha"}:
            raise InvalidValueError("margin and until belong to a comparison of models: leave them out")
        return StopRule.parse(self.when, alpha=self.alpha)
