"""Options that several commands share, and what turns them into a run's specification."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from assay.domain.judging import Judging
    from assay.domain.messages import Generation
    from assay.domain.run import Subset

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Data = Annotated[
    str,
    typer.Option(
        help="official, demo (a few items of our own), or a file or folder in the official layout.",
        show_default=True,
    ),
]

Models = Annotated[str, typer.Argument(metavar="MODEL[,MODEL…]", help="Models, as provider/name.")]
Benchmarks = Annotated[
    str,
    typer.Argument(metavar="BENCHMARK[,…]", help="Benchmarks, as `assay benchmarks` lists, or dataset:NAME."),
]
BaseUrl = Annotated[str | None, typer.Option(help="Address of the endpoint, instead of the provider's.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print prompts and the estimate; call nothing.")]

Judge = Annotated[
    str | None,
    typer.Option(metavar="MODEL[,MODEL…]", help="Models that grade, where the benchmark is judged."),
]
JudgeVotes = Annotated[int, typer.Option(help="How often each judge is asked about an answer.")]
JudgeBaseUrl = Annotated[
    str | None, typer.Option(help="Address of the judges' endpoint, instead of the provider's.")
]
JudgeTemperature = Annotated[
    float | None, typer.Option(help="Of the judges; default: what the benchmark asks for.")
]
JudgeMaxTokens = Annotated[int | None, typer.Option(help="Cap on the tokens of a judge's reply.")]
JudgeTimeout = Annotated[float, typer.Option(help="Seconds until a judge's call is given up.")]


def judging(
    models: str | None,
    *,
    votes: int,
    base_url: str | None,
    temperature: float | None,
    max_tokens: int | None,
    timeout_s: float,
) -> "Judging | None":
    from assay.domain.errors import InvalidValueError
    from assay.domain.judging import Judging

    if models is None:
        if base_url is not None or votes != 1:
            raise InvalidValueError("options of the judge are given, but no judge: add --judge MODEL")
        return None
    return Judging(
        models=names(models),
        votes=votes,
        generation=generation(
            temperature=temperature, top_p=None, max_tokens=max_tokens, reasoning_effort=None
        ),
        base_url=base_url,
        timeout_s=timeout_s,
    )


def absolute(data: str) -> str:
    """An absolute path, so that the run can be resumed from any folder."""
    return data if data in {"official", "demo"} else str(Path(data).absolute())


def names(text: str) -> tuple[str, ...]:
    """The entries of a comma-separated list, in order, each once."""
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def subset(percent: int, count: int | None, seed: str | None) -> "Subset":
    from assay.domain.run import DEFAULT_SEED, Subset

    return Subset(percent=percent, count=count, seed=DEFAULT_SEED if seed is None else seed)


def generation(
    *, temperature: float | None, top_p: float | None, max_tokens: int | None, reasoning_effort: str | None
) -> "Generation":
    from assay.domain.messages import Generation

    return Generation(
        temperature=temperature, top_p=top_p, max_tokens=max_tokens, reasoning_effort=reasoning_effort
    )
