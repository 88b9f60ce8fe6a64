"""The stopping rule in a request for a run."""

from typing import Annotated

from pydantic import Field

from assay.api.schemas.fields import Body
from assay.domain.errors import InvalidValueError
from assay.domain.stopping import DEFAULT_ALPHA, DEFAULT_MARGIN, StopRule, Until


class StopConfig(Body):
    """When the run ends; models are compared with each other unless there is a bar."""

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
    bar: Annotated[float, Field(gt=0, lt=1)] | Annotated[str, Field(min_length=1, max_length=100)] | None = (
        Field(
            default=None,
            description="Ends once each score is certain to be above or below: 0.8, or `score > 0.8`",
        )
    )

    def rule(self) -> StopRule:
        """Raises InvalidValueError."""
        if isinstance(self.bar, str):
            bar = StopRule.parse(self.bar).bar
            if bar is None:
                raise InvalidValueError(
                    f"a bar is a number or a condition such as 'score > 0.8', not {self.bar!r}"
                )
            return StopRule(self.margin, self.alpha, self.until, bar)
        return StopRule(self.margin, self.alpha, self.until, self.bar)
