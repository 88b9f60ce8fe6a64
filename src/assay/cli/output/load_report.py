"""A load test for people and for programs."""

from collections.abc import Sequence

import typer

from assay.api.schemas.results.load_tests import LoadTestDetail
from assay.cli.output.write import cost_text, duration_text, percent, write_note, write_table
from assay.domain.load import LevelResult, LoadTest, Loop
from assay.domain.stats import plural

_UNIT = {"closed": "CLIENTS", "open": "RATE /s"}
_NONE = "-"
_ENDED = {
    "max-requests": "the test ended early: it reached --max-requests",
    "max-duration": "the test ended early: it reached --max-duration",
    "budget": "the test ended early: its budget is used up",
    "interrupted": "the test was stopped: the last load is measured in part",
}


def load_document(test: LoadTest) -> dict[str, object]:
    """The same as `GET /api/load-tests/{test_id}`."""
    return LoadTestDetail.model_validate(test).model_dump(mode="json")


def level_line(level: LevelResult, loop: Loop) -> str:
    """One line about a level that has just ended."""
    asked = f"{level.load:g} requests/s" if loop == "open" else plural(round(level.load), "client")
    first = _time(level, "ttft_ms", "p50")
    failed = level.due - level.answered
    problems = f", {failed:,} failed" if failed else ""
    return f"{asked}: {level.answered:,} answered{problems}, TTFT p50 {first} ms"


def print_load_test(test: LoadTest) -> None:
    spec = test.spec
    write_note(f"{spec.model} at {test.endpoint}: {_prompt_text(test)}; {_held(test)}")
    typer.echo("")
    _print_throughput(test)
    typer.echo("")
    _print_latency(test)
    typer.echo("")
    for note in _notes(test):
        write_note(note.strip(), indent="  " if note.startswith(" ") else "")


def _held(test: LoadTest) -> str:
    spec = test.spec
    most = f", at most {plural(spec.stage_requests, 'request')}" if spec.stage_requests else ""
    spacing = f", {spec.spacing} arrivals" if spec.loop == "open" else ""
    return f"{spec.loop} loop, {spec.stage_s:g} s each{most}{spacing}"


def _prompt_text(test: LoadTest) -> str:
    spec = test.spec
    asked = f"prompts of {spec.prompts}" if spec.prompts else f"prompts of {spec.prompt_tokens} tokens"
    return asked + (f", replies up to {spec.output_tokens}" if spec.output_tokens else "")


def _print_throughput(test: LoadTest) -> None:
    columns = [_UNIT[test.spec.loop], "DUE", "OK", "FAILED", "REQ/S", "TOKENS/S", "AT ONCE", "STALLED"]
    if test.spec.goodput:
        columns += ["GOOD", "GOOD/S"]
    rows = [_throughput(level, has_goodput=bool(test.spec.goodput)) for level in test.levels]
    write_table(columns, rows, folded=(), optional=("AT ONCE",))


def _throughput(level: LevelResult, *, has_goodput: bool) -> Sequence[str]:
    cells = [
        _load(level),
        f"{level.due:,}",
        f"{level.answered:,}",
        f"{level.due - level.answered:,}",
        f"{level.requests_per_s:.1f}",
        _NONE if level.output_tokens_per_s is None else f"{level.output_tokens_per_s:,.0f}",
        f"{level.most_in_flight:,}",
        f"{level.stalled:,}",
    ]
    if has_goodput:
        good = level.good or 0
        cells += [percent(good / level.due) if level.due else _NONE, f"{level.good_per_s or 0:.1f}"]
    return cells


def _print_latency(test: LoadTest) -> None:
    is_open = test.spec.loop == "open"
    shown = {
        "TTFT p50": ("ttft_ms", "p50"),
        "TTFT p90": ("ttft_ms", "p90"),
        "TTFT p99": ("ttft_ms", "p99"),
        **({"SENT TTFT p99": ("ttft_sent_ms", "p99")} if is_open else {}),
        "ITL p50": ("itl_ms", "p50"),
        "ITL p99": ("itl_ms", "p99"),
        "E2E p50": ("e2e_ms", "p50"),
        "E2E p99": ("e2e_ms", "p99"),
        **({"SENT E2E p99": ("e2e_sent_ms", "p99")} if is_open else {}),
    }
    rows = [
        [_load(level), *(_time(level, measure, point) for measure, point in shown.values()), _late(level)]
        for level in test.levels
    ]
    columns = [_UNIT[test.spec.loop], *shown, "LATE p99"]
    write_table(
        columns,
        rows,
        title="milliseconds",
        folded=(),
        optional=("TTFT p90", "SENT TTFT p99", "SENT E2E p99"),
    )


def _load(level: LevelResult) -> str:
    return f"{level.load:.4g}" + (" !" if level.distortions else "")


def _late(level: LevelResult) -> str:
    return _ms(max(lags.get("p99", 0.0) for lags in (level.lag.start_ms, level.lag.loop_ms)))


def _time(level: LevelResult, measure: str, point: str) -> str:
    found = level.latency.get(measure)
    return _NONE if found is None else _ms(found[point])


def _ms(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"  # noqa: PLR2004


def _notes(test: LoadTest) -> list[str]:
    notes = [
        f"failed at {level.load:.4g}: "
        + ", ".join(f"{count:,} {error}" for error, count in level.errors.items())
        for level in test.levels
        if level.errors
    ]
    marked = [level for level in test.levels if level.distortions]
    if marked:
        notes.append("! The generator may have distorted these loads:")
        notes += [f"  {level.load:.4g}: {'; '.join(level.distortions)}" for level in marked]
    else:
        notes.append("The generator kept its schedule at every load (LATE is how late it was).")
    notes += test.notes
    if (ended := _ENDED.get(test.ending)) is not None:
        notes.append(ended)
    tokens = "unknown" if test.tokens is None else f"{test.tokens:,}"
    notes.append(
        f"{plural(test.requests, 'request')} in {duration_text(test.duration_s)},"
        f" tokens: {tokens}, cost: {cost_text(test.cost_usd)}; load test {test.id}"
    )
    return notes
