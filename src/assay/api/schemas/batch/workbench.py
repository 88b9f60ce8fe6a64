"""Costs of runs on data sets, and their live progress."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from assay.api.schemas.batch.dataset_runs import DatasetRunRow
from assay.api.schemas.fields import Body, FreeText, Moment, Schema
from assay.api.schemas.run_request import Name

Count = Annotated[int, Field(ge=1, le=10**9)]
TokenCount = Annotated[int, Field(ge=0, le=10**9)]


class Pricing(Schema):
    """USD per million tokens; null if the price is unknown."""

    input_per_1m: float | None = Field(description="For input tokens")
    output_per_1m: float | None = Field(description="For output tokens")


class DatasetRunCost(Schema):
    """What a run on a data set has cost so far; amounts in USD, null if the price is unknown."""

    benchmark_id: str = Field(description="The id of the run on the data set")
    model_id: FreeText = Field(description="Name of the model")
    total_requests: int = Field(description="Completed requests")
    total_prompt_tokens: int = Field(description="Input tokens that the endpoint counted")
    total_completion_tokens: int = Field(description="Output tokens that the endpoint counted")
    total_tokens: int = Field(description="Both together")
    input_cost: float | None = Field(description="Cost of the input tokens, at the price of the run")
    output_cost: float | None = Field(description="Cost of the output tokens, at the price of the run")
    total_cost: float | None = Field(description="With what the endpoint itself reported, if it did")
    cost_per_request: float | None = Field(description="Mean over the completed requests")
    pricing: Pricing = Field(description="The price when the run was created")


class CostEstimateRequest(Body):
    """A batch that has not been run."""

    model_id: Name = Field(description="Name of the model")
    num_requests: Count = Field(description="Number of requests")
    avg_prompt_tokens: TokenCount = Field(description="Mean input tokens of a request")
    avg_completion_tokens: TokenCount = Field(description="Mean output tokens of a request")


class CostEstimate(Schema):
    """Amounts in USD, null if the price is unknown."""

    num_requests: int = Field(description="Number of requests")
    total_prompt_tokens: int = Field(description="Input tokens of all requests")
    total_completion_tokens: int = Field(description="Output tokens of all requests")
    total_tokens: int = Field(description="Both together")
    estimated_cost: float | None = Field(description="Cost of all requests")
    cost_per_request: float | None = Field(description="Cost of one request")
    pricing: Pricing = Field(description="The current price of the model")


class UsageQuery(BaseModel):
    """Which runs on data sets are counted."""

    start_date: Moment | None = Field(default=None, description="Only runs created at this time or later")
    end_date: Moment | None = Field(default=None, description="Only runs created before this time")
    model_id: str | None = Field(
        default=None,
        description="Only runs of this model: its name, or the slug or chute id of a registered one",
    )


class Period(Schema):
    """The bounds that were asked for."""

    start: Moment | None = Field(description="The first moment; null if there is no bound")
    end: Moment | None = Field(description="The moment after the last; null if there is no bound")


class UsageSummary(Schema):
    """What runs on data sets have used; amounts in USD."""

    period: Period = Field(description="The time that is counted")
    total_jobs: int = Field(description="Number of runs of one model on one data set")
    unpriced_jobs: int = Field(description="Those of unknown cost, which the amounts leave out")
    total_requests: int = Field(description="Completed requests")
    total_prompt_tokens: int = Field(description="Input tokens that the endpoints counted")
    total_completion_tokens: int = Field(description="Output tokens that the endpoints counted")
    total_tokens: int = Field(description="Both together")
    total_cost: float = Field(description="Sum of the known costs")
    by_model: dict[str, float] = Field(description="Sum of the known costs by model")


class BudgetRequest(Body):
    """A budget for all runs on data sets."""

    budget_limit: Annotated[float, Field(gt=0, le=1e9)] = Field(description="In USD")
    alert_threshold: Annotated[float, Field(ge=0, le=1)] = Field(
        default=0.8, description="Share of the budget from which on `alert` is true"
    )


class BudgetAlert(Schema):
    """How much of a budget is used."""

    current_cost: float = Field(description="Sum of the known costs, in USD")
    budget_limit: float = Field(description="As given")
    usage_pct: float = Field(description="Share of the budget that is used; 1 is all of it")
    remaining: float = Field(description="In USD; below 0 if more than the budget is used")
    alert: bool = Field(description="Whether the share has reached the threshold")
    alert_threshold: float = Field(description="As given")
    status: Literal["ok", "warning", "critical"] = Field(
        description="`warning` from the threshold on, `critical` once all is used"
    )
    unpriced_jobs: int = Field(description="Runs of unknown cost, which are not counted")


class WorkbenchProgress(Schema):
    """One message of `/ws/workbench`."""

    type: Literal["progress"] = Field(default="progress", description="Always `progress`")
    jobs: tuple[DatasetRunRow, ...] = Field(description="The runs on data sets that have not ended")
    timestamp: Moment = Field(description="When this was read")
