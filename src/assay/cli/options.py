"""Options that several commands share, and what turns them into a run's specification."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from assay.domain.messages import Generation
    from assay.domain.run import Subset

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Data = Annotated[
    str,
    typer.Option(
        help="official, samples (our own small items), or a file or folder in the official layout.",
        show_default=True,
    ),
]


def absolute(data: str) -> str:
    """A path that means the same wherever the run is gone on with."""
    return data if data in {"official", "samples"} else str(Path(data).absolute())


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
