"""A stored attempt as a task of a `janus-bench` report."""

from assay.domain.attempt import Attempt
from assay.domain.calls.timing import StreamTiming
from assay.domain.run import Evaluation
from assay.engine.janus.report import StreamingMetrics, TaskResult
from assay.engine.janus.stream_shape import stream_shape
from assay.engine.results.composite import COST, MULTIMODAL
from assay.engine.results.part_values import PartTally, SpeedScale


def task_result(
    attempt: Attempt,
    evaluation: Evaluation,
    *,
    kind: str,
    scale: SpeedScale,
    ttft_limit_s: float,
) -> TaskResult:
    """`kind` is the category of the item; a first token after `ttft_limit_s` is noted as an error."""
    tally = PartTally(scale)
    tally.add(attempt)
    timing, usage = attempt.timing, attempt.usage
    error = _error(attempt, ttft_limit_s)
    total = (
        None
        if usage.input_tokens is None or usage.output_tokens is None
        else usage.input_tokens + usage.output_tokens
    )
    speeds = [one for one in (tally.ttft.score(1).value, tally.rate.score(1).value) if one is not None]
    is_cost, is_multimodal = evaluation.benchmark == COST, evaluation.benchmark == MULTIMODAL
    return TaskResult(
        task_id=attempt.item_id,
        benchmark=evaluation.benchmark,
        task_type=kind,
        success=error is None and bool(attempt.answer or attempt.reasoning),
        response_text=attempt.answer,
        error=error,
        latency_seconds=_latency_s(attempt),
        streaming_metrics=None if timing is None else _streaming(timing, attempt),
        tokens_per_second=None if timing is None else timing.tokens_per_s,
        prompt_tokens=usage.input_tokens,
        completion_tokens=usage.output_tokens,
        total_tokens=total,
        cost_usd=None if attempt.cost_usd is None else float(attempt.cost_usd),
        sandbox_seconds=usage.sandbox_s,
        quality_score=attempt.score,
        speed_score=sum(speeds) / len(speeds) if speeds else None,
        cost_score=attempt.score if is_cost else tally.cost.score(1).value,
        streaming_score=tally.continuity.score(1).value,
        multimodal_score=attempt.score if is_multimodal else None,
        timestamp=attempt.finished_at,
        judge_output={"explanation": attempt.explanation} if evaluation.fingerprint.judge else None,
        metadata={"outcome": attempt.outcome.value, "sample": attempt.sample, "tries": attempt.tries},
    )


def _error(attempt: Attempt, ttft_limit_s: float) -> str | None:
    if not attempt.outcome.is_final:
        return attempt.error_message or attempt.error_code or attempt.outcome.value
    ttft_ms = attempt.timing.ttft_ms if attempt.timing else None
    if ttft_ms is not None and ttft_ms > ttft_limit_s * 1000:
        return f"the first token came after {ttft_ms / 1000:.1f} s; the limit is {ttft_limit_s:g} s"
    return None


def _latency_s(attempt: Attempt) -> float:
    if attempt.timing is not None:
        return attempt.timing.duration_ms / 1000
    return (attempt.finished_at - attempt.started_at).total_seconds()


def _streaming(timing: StreamTiming, attempt: Attempt) -> StreamingMetrics:
    arrivals = [call.arrivals for call in attempt.calls if call.role == "model" and call.arrivals is not None]
    shape = stream_shape(arrivals[-1].chunks_s if arrivals else ())
    return StreamingMetrics(
        ttft_seconds=_seconds(timing.ttft_ms),
        max_gap_seconds=_seconds(timing.max_gap_ms),
        total_chunks=timing.chunks,
        keep_alive_count=timing.keep_alives,
        total_duration_seconds=timing.duration_ms / 1000,
        avg_tps=timing.tokens_per_s,
        peak_tps=shape.peak_per_s,
        min_tps=shape.least_per_s,
        total_tokens=attempt.usage.output_tokens,
        continuity_score=timing.continuity,
        continuity_gap_count=shape.long_gaps,
        continuity_max_gap_seconds=shape.max_gap_s,
        continuity_coefficient_of_variation=shape.variation,
    )


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000
