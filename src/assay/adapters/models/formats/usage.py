"""Token counts and cost, under the names that servers use."""

from decimal import Decimal

from assay.adapters.models.json_text import token_count, usd_amount
from assay.domain.calls.messages import Json, Usage

_UNKNOWN = Usage()
# A year: nothing runs longer, and sums stay finite.
_MOST_SECONDS = 366 * 86_400


def parse_usage(value: Json) -> Usage:
    if not isinstance(value, dict):
        return _UNKNOWN
    return Usage(
        input_tokens=token_count(value.get("prompt_tokens", value.get("input_tokens"))),
        output_tokens=token_count(value.get("completion_tokens", value.get("output_tokens"))),
        reasoning_tokens=_detail(
            value,
            value.get("completion_tokens_details", value.get("output_tokens_details")),
            "reasoning_tokens",
        ),
        cached_tokens=_detail(
            value, value.get("prompt_tokens_details", value.get("input_tokens_details")), "cached_tokens"
        ),
        reported_cost_usd=_cost_usd(value),
        sandbox_s=_seconds(value.get("sandbox_seconds")),
    )


def _seconds(value: Json) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < _MOST_SECONDS else None


def _detail(usage: dict[str, Json], details: Json, name: str) -> int | None:
    return token_count((details if isinstance(details, dict) else usage).get(name))


def _cost_usd(value: dict[str, Json]) -> Decimal | None:
    cost = usd_amount(value.get("cost"))
    if cost is None:
        return usd_amount(value.get("cost_usd"))
    details = value.get("cost_details")
    if value.get("is_byok") is True and isinstance(details, dict):
        # If the router uses the user's own key at the provider, `cost` is the router's fee alone.
        return cost + (usd_amount(details.get("upstream_inference_cost")) or 0)
    return cost
