"""Load tests, as responses; `assay load --json` prints the same."""

from collections.abc import Mapping
from typing import Self

from pydantic import BaseModel, ConfigDict, Field

from assay.api.schemas.fields import FreeText, Moment, Schema
from assay.domain import load

_Percentiles = Mapping[str, float]


class _Attributes(Schema):
    model_config = ConfigDict(from_attributes=True)


class LoadStage(_Attributes):
    """A load that is held, or a ramp from `first` to `last`."""

    first: float = Field(description="Clients or requests per second at the beginning")
    last: float = Field(description="The same at the end")


class LoadBudget(_Attributes):
    usd: float | None = Field(description="Most that the test may cost; null for no limit")
    tokens: int | None = Field(description="Most tokens that it may use; null for no limit")


class LoadLimits(_Attributes):
    requests: int = Field(description="Most requests of the whole test")
    duration_s: float = Field(description="After so long, nothing more is sent")
    budget: LoadBudget = Field(description="What the test may use")
    timeout_s: float = Field(description="A reply that takes longer is a failure")
    in_flight: int = Field(description="Most unanswered requests at once")


class LoadPrice(_Attributes):
    input_usd_per_million: float = Field(description="USD per million tokens sent")
    output_usd_per_million: float = Field(description="USD per million tokens received")


class LoadSpec(_Attributes):
    """What was asked for."""

    model: FreeText
    loop: load.Loop = Field(description="`closed`: clients that wait; `open`: a schedule that does not")
    stages: tuple[LoadStage, ...] = Field(description="The loads, one after the other")
    stage_s: float = Field(description="Seconds that each load is held")
    stage_requests: int | None = Field(description="Most requests of each load; null for no limit")
    spacing: load.Spacing = Field(description="How the requests of an open loop are spaced")
    seed: FreeText = Field(description="Decides lengths, texts and arrivals")
    prompt_tokens: str = Field(description="Distribution of the lengths of prompts that are made up")
    output_tokens: str | None = Field(description="Distribution of the caps on replies; null for none")
    prompts: FreeText | None = Field(
        description="The benchmark or data set that the prompts are from; null if they are made up"
    )
    ignore_eos: bool = Field(description="Whether the endpoint was asked to write up to the cap")
    warm_up: int = Field(description="Requests before the first load, which do not count")
    goodput: str | None = Field(description="The limits that a good reply keeps; null if none were named")
    stall_ms: float = Field(description="A longer gap between chunks is a stall")
    limits: LoadLimits = Field(description="What ends the test early")
    price: LoadPrice | None = Field(description="The price that was given; null if none was")
    name: FreeText = Field(description="What the user calls the test")


class GeneratorLag(_Attributes):
    """How late the load generator itself was; percentiles in milliseconds."""

    start_ms: _Percentiles = Field(description="Until it began to send a request that was due")
    send_ms: _Percentiles = Field(description="The same with making a connection, until it was sent")
    loop_ms: _Percentiles = Field(description="Until its event loop woke a task")


class LoadLevel(_Attributes):
    """What was measured at one load, or in one slice of a ramp."""

    load: float = Field(description="Clients or requests per second; in a slice of a ramp, in its middle")
    is_slice: bool = Field(description="Whether it is a part of a ramp")
    window_s: float = Field(description="Length of the time measured, until the last reply")
    due: int = Field(description="Requests that the load asked for, whatever became of them")
    answered: int = Field(description="Requests that got a reply")
    errors: Mapping[str, int] = Field(description="The other requests, by class of error")
    requests_per_s: float = Field(description="Replies per second; one that is partly in time counts partly")
    output_tokens_per_s: float | None = Field(
        description="Output tokens of all replies per second; null if the endpoint did not report all"
    )
    latency: Mapping[str, _Percentiles] = Field(
        description="Percentiles by measure. In an open loop they count from when a request was due,"
        " those that end in `_sent_ms` from its sending"
    )
    lag: GeneratorLag = Field(description="How late the load generator itself was")
    most_in_flight: int = Field(description="Most requests that were unanswered at once")
    stalled: int = Field(description="Replies with a gap longer than `stall_ms`")
    mean_input_tokens: float | None = Field(description="Per reply, as the endpoint counts; null if unknown")
    mean_output_tokens: float | None = Field(description="Per reply, as the endpoint counts; null if unknown")
    good: int | None = Field(description="Replies that kept every limit; null if none were named")
    good_per_s: float | None = Field(description="The same per second; null if no limits were named")
    distortions: tuple[str, ...] = Field(
        description="Why the generator may have distorted these figures; empty if nothing says so"
    )


class LoadTestFields(_Attributes):
    id: str
    spec: LoadSpec = Field(description="What was asked for")
    endpoint: FreeText = Field(description="Address that was called")
    created_at: Moment
    duration_s: float = Field(description="How long it took, with the warm-up")
    ending: load.Ending = Field(description="Why it ended")
    requests: int = Field(description="Requests that were sent, with the warm-up")
    tokens: int | None = Field(
        description="Tokens that were used; null if the endpoint did not report all of them"
    )
    cost_usd: float | None


class LoadTest(LoadTestFields):
    """A load test in short."""

    levels: int = Field(description="Number of levels that were measured")
    distorted_levels: int = Field(description="Number of those that the generator may have distorted")
    max_requests_per_s: float | None = Field(description="The most of all levels; null if there is none")

    @classmethod
    def of(cls, test: load.LoadTest) -> Self:
        fields = LoadTestFields.model_validate(test).model_dump()
        return cls(
            **fields,
            levels=len(test.levels),
            distorted_levels=sum(bool(one.distortions) for one in test.levels),
            max_requests_per_s=max((one.requests_per_s for one in test.levels), default=None),
        )


class LoadTestDetail(LoadTestFields):
    """A load test with all that it measured."""

    levels: tuple[LoadLevel, ...] = Field(description="What was measured, in the order of the loads")
    code_version: str = Field(description="The version of Assay that measured")
    notes: tuple[str, ...] = Field(description="What the figures can show and what they cannot")


class LoadTestQuery(BaseModel):
    limit: int = Field(default=50, ge=1, le=200)
    offset: int = Field(default=0, ge=0, le=10**9)


class LoadTestList(Schema):
    load_tests: tuple[LoadTest, ...] = Field(description="Newest first")
    total: int = Field(description="Number on all pages")
    limit: int
    offset: int
