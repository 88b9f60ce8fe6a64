"""What runs on data sets cost."""

from collections import Counter, defaultdict
from decimal import Decimal

from assay.api.dependencies import ApiServices
from assay.api.runs.dataset_runs import all_dataset_runs
from assay.api.schemas.batch.dataset_runs import DatasetRun
from assay.api.schemas.batch.workbench import DatasetRunCost, Period, Pricing, UsageQuery, UsageSummary
from assay.api.schemas.evaluations import usd
from assay.domain.calls.pricing import Price
from assay.domain.datasets.dataset import PREFIX
from assay.engine.stores.runs import RunFilter

_PAGE = 200


def run_cost(found: DatasetRun) -> DatasetRunCost:
    tokens, price, total = found.tokens, found.evaluation.price, cost_usd(found)
    return DatasetRunCost(
        benchmark_id=found.id,
        model_id=found.evaluation.model,
        total_requests=found.completed,
        total_prompt_tokens=tokens.input,
        total_completion_tokens=tokens.output,
        total_tokens=tokens.input + tokens.output,
        input_cost=priced(price, input_tokens=tokens.input),
        output_cost=priced(price, output_tokens=tokens.output),
        total_cost=usd(total),
        cost_per_request=None if total is None else float(total) / max(1, found.completed),
        pricing=pricing(price),
    )


def cost_usd(found: DatasetRun) -> Decimal | None:
    """As summarised at the end; until then, tokens times the price. None if it is unknown."""
    summary, price = found.evaluation.summary, found.evaluation.price
    if found.evaluation.state.is_final and summary is not None:
        return summary.cost_usd
    if price is None:
        return None
    return price.cost_usd(input_tokens=found.tokens.input, output_tokens=found.tokens.output)


def priced(price: Price | None, *, input_tokens: int = 0, output_tokens: int = 0) -> float | None:
    return usd(price and price.cost_usd(input_tokens=input_tokens, output_tokens=output_tokens))


def pricing(price: Price | None) -> Pricing:
    return Pricing(
        input_per_1m=usd(price and price.input_usd_per_million),
        output_per_1m=usd(price and price.output_usd_per_million),
    )


async def usage_summary(services: ApiServices, wanted: UsageQuery) -> UsageSummary:
    counts: Counter[str] = Counter()
    costs: dict[str, Decimal] = defaultdict(Decimal)
    before_end = RunFilter(benchmark_prefix=PREFIX, created_before=wanted.end_date, limit=_PAGE)
    async for found in all_dataset_runs(services.stores, before_end):
        if wanted.start_date is not None and found.run.created_at < wanted.start_date:
            break  # Newest first: all that follow are older.
        if wanted.model_id not in (None, found.evaluation.model):
            continue
        cost = cost_usd(found)
        counts.update(
            jobs=1,
            unpriced=cost is None,
            requests=found.completed,
            input=found.tokens.input,
            output=found.tokens.output,
        )
        costs[found.evaluation.model] += cost or 0
    return UsageSummary(
        period=Period(start=wanted.start_date, end=wanted.end_date),
        total_jobs=counts["jobs"],
        unpriced_jobs=counts["unpriced"],
        total_requests=counts["requests"],
        total_prompt_tokens=counts["input"],
        total_completion_tokens=counts["output"],
        total_tokens=counts["input"] + counts["output"],
        total_cost=float(sum(costs.values())),
        by_model={model: float(cost) for model, cost in sorted(costs.items())},
    )
