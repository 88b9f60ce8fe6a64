"""Options that several commands share, and what turns them into a run's specification."""

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli import completion
from assay.cli.exit_codes import EXIT_WARNING

if TYPE_CHECKING:
    from assay.domain.benchmark import ItemId
    from assay.domain.calls.messages import Generation
    from assay.domain.calls.pricing import Price
    from assay.domain.composite import CompositeRule
    from assay.domain.dataset_report import Grading
    from assay.domain.json_value import Json as JsonValue
    from assay.domain.judging import Judging
    from assay.domain.run import ModelEndpoint, Subset
    from assay.domain.stopping import StopRule

_MAX_PORT = 65_535

Name = Annotated[str, typer.Option(help="What you call the run.")]
Tag = Annotated[list[str] | None, typer.Option(help="Word to find the run by; may be given several times.")]
Note = Annotated[str, typer.Option(help="What you want to remember about the run.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Data = Annotated[
    str,
    typer.Option(
        help="official, demo (a few items of our own), or a file or folder in the official layout.",
        show_default=True,
    ),
]

Run = Annotated[
    str,
    typer.Argument(metavar="RUN", help="A run's id, or the start of it.", autocompletion=completion.run_ids),
]
Models = Annotated[
    str,
    typer.Argument(
        metavar="MODEL[,MODEL…]", help="Models, as provider/name.", autocompletion=completion.models
    ),
]
Benchmark = Annotated[
    str,
    typer.Argument(help="A benchmark, as `assay benchmarks` lists.", autocompletion=completion.benchmarks),
]
Benchmarks = Annotated[
    str,
    typer.Argument(
        metavar="BENCHMARK[,…]",
        help="Benchmarks, as `assay benchmarks` lists, dataset:NAME, or a file of your own.",
        autocompletion=completion.benchmarks,
    ),
]
Grader = Annotated[
    str,
    typer.Option(
        metavar="NAME|JSON",
        help="How lines are graded that do not say so: a grader's name, or JSON with options.",
        autocompletion=completion.graders,
    ),
]
PromptField = Annotated[
    str | None, typer.Option(help="Of hf:org/name: the column that holds the prompt.", metavar="COLUMN")
]
AnswerField = Annotated[
    str | None, typer.Option(help="Of hf:org/name: the column that holds what is expected.", metavar="COLUMN")
]
HubConfig = Annotated[str | None, typer.Option(help="Of hf:org/name: the configuration, if it has several.")]
HubSplit = Annotated[str, typer.Option(help="Of hf:org/name: the split.")]
HubRevision = Annotated[
    str | None,
    typer.Option(
        help="Of hf:org/name: a commit, tag or branch; by default the commit that was fetched first."
    ),
]
MaxTokens = Annotated[int | None, typer.Option(help="Cap on a reply's tokens.")]
MaxConnections = Annotated[int | None, typer.Option(help="Most calls to an endpoint at once.")]
BudgetUsd = Annotated[str | None, typer.Option(help="Pause the run when it has cost this much.")]
BudgetTokens = Annotated[int | None, typer.Option(help="Pause the run after this many tokens.")]
BaseUrl = Annotated[str | None, typer.Option(help="Address of the endpoint, instead of the provider's.")]
BaseUrls = Annotated[
    list[str] | None,
    typer.Option(
        "--base-url",
        metavar="[MODEL=]URL",
        help="Address of the endpoint, instead of the provider's; with a model, for that one alone.",
    ),
]
System = Annotated[
    str | None,
    typer.Option(metavar="TEXT|@FILE", help="System prompt, put before what the benchmark says."),
]
Stop = Annotated[list[str] | None, typer.Option(help="Text that ends a reply; may be given several times.")]
ModelSeed = Annotated[int | None, typer.Option(help="Seed of the model's sampling, where it takes one.")]
Option = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KEY=VALUE",
        help="Field of the request body, as JSON where it is JSON; KEY.KEY names a nested one.",
    ),
]
Header = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE", help="Header of each request; '${NAME}' is read from the environment."
    ),
]
Timeout = Annotated[float | None, typer.Option(help="Seconds until a call is given up.")]
Retries = Annotated[int | None, typer.Option(help="Most retries of a failed call.")]
Logprobs = Annotated[
    bool, typer.Option("--logprobs", help="Ask for the log-probabilities of the reply's tokens.")
]
FewShot = Annotated[
    int | None, typer.Option(help="Examples before a question, where the benchmark has some.")
]
PriceIn = Annotated[
    str | None, typer.Option(help="USD per million tokens sent, where the endpoint lists no price.")
]
PriceOut = Annotated[
    str | None, typer.Option(help="USD per million tokens received, where the endpoint lists no price.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print prompts and the estimate; call nothing.")]

Detach = Annotated[bool, typer.Option("--detach", help="Queue the run for the service's workers and return.")]
FailOnError = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=1,
        metavar="SHARE",
        help=f"Exit with {EXIT_WARNING} if this share of attempts failed, or most replies have no answer.",
    ),
]

Judge = Annotated[
    str | None,
    typer.Option(metavar="MODEL[,MODEL…]", help="Models that grade, where the benchmark is judged."),
]
UserModel = Annotated[
    str | None,
    typer.Option(metavar="MODEL", help="Model that plays the user, where the benchmark has one."),
]
JudgeVotes = Annotated[int, typer.Option(help="How often each judge is asked about an answer.")]
JudgeBaseUrl = Annotated[
    str | None, typer.Option(help="Address of the judges' endpoint, instead of the provider's.")
]
JudgeTemperature = Annotated[
    float | None,
    typer.Option(help="Sampling temperature of the judges; default: what the benchmark asks for."),
]
JudgeMaxTokens = Annotated[int | None, typer.Option(help="Cap on the tokens of a judge's reply.")]
JudgeTimeout = Annotated[float, typer.Option(help="Seconds until a judge's call is given up.")]

Weights = Annotated[
    str | None,
    typer.Option(
        metavar="PART=POINTS[,…]",
        help="Points of the composite's parts, together 100: quality, speed, cost, streaming, multimodal.",
    ),
]
MinimumQuality = Annotated[
    float, typer.Option(help="Least quality for speed, cost and streaming to count in the composite.")
]
StopWhen = Annotated[
    str | None,
    typer.Option(
        metavar="CONDITION",
        help="End once it is certain: 'score > 0.8' or, of several models, 'decided', 'better' or"
        " 'equivalent within 2 points'.",
    ),
]
Warmup = Annotated[int, typer.Option(help="Requests to each model before the first item; not scored.")]
Reuse = Annotated[
    bool, typer.Option("--reuse", help="Take stored answers to the same requests instead of asking again.")
]


def default_grader(text: str) -> "tuple[Grading, JsonValue]":
    from assay.domain.errors import InvalidValueError
    from assay.engine.graders.rules import reading

    try:
        return reading.default_grader(text)
    except InvalidValueError as error:
        raise InvalidValueError(f"--grader {error.message}") from error


def composite_rule(weights: str | None, minimum_quality: float) -> "CompositeRule":
    """Parts that are not named keep the points they have by default."""
    from dataclasses import fields

    from assay.domain import composite
    from assay.domain.errors import InvalidValueError

    parts = [field.name for field in fields(composite.Weights)]
    found: dict[str, float] = {}
    for text in names(weights or ""):
        part, _, points = text.partition("=")
        if part.strip() not in parts:
            raise InvalidValueError(f"--weights {text!r} names no part; there are {', '.join(parts)}")
        try:
            found[part.strip()] = float(points)
        except ValueError as error:
            raise InvalidValueError(f"--weights {text!r} needs a number, as in quality=40") from error
    return composite.CompositeRule(composite.Weights(**found), minimum_quality)


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


def user_model(model: str | None) -> "Judging | None":
    from assay.domain.judging import Judging

    return None if model is None else Judging((model,))


def stop_when(condition: str | None) -> "StopRule | None":
    from assay.domain.stopping import StopRule

    return None if condition is None else StopRule.parse(condition)


def port(number: int | None, option: str = "--port") -> int | None:
    from assay.domain.errors import InvalidValueError

    if number is not None and not 0 <= number <= _MAX_PORT:
        raise InvalidValueError(f"{option} must be 0 to {_MAX_PORT}, not {number}")
    return number


def absolute(data: str) -> str:
    """An absolute path, so that the run can be resumed from any folder."""
    return data if data in {"official", "demo"} else str(Path(data).absolute())


def names(text: str) -> tuple[str, ...]:
    """The entries of a comma-separated list, in order, each once."""
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def one_benchmark(name: str | None) -> str | None:
    """For options that choose among stored results: the name they were stored under."""
    from assay.domain.benchmark_names import own_name

    return None if name is None else own_name(name)


def benchmark_names(text: str) -> tuple[str, ...]:
    from shlex import quote

    from assay.domain.benchmark_names import own_name
    from assay.domain.datasets.dataset import FILE_ENDINGS, name_of_file
    from assay.domain.errors import InvalidValueError

    found = tuple(dict.fromkeys(map(own_name, names(text))))
    for name in found:
        if name.lower().endswith(FILE_ENDINGS):
            raise InvalidValueError(
                f"{name!r} is a file and not the name of a benchmark: add it with"
                f" `assay datasets add {quote(name)}`, then run dataset:{name_of_file(name)}"
            )
    return found


def subset(percent: int, count: int | None, seed: str | None) -> "Subset":
    from assay.domain.run import DEFAULT_SEED, Subset

    return Subset(percent=percent, count=count, seed=DEFAULT_SEED if seed is None else seed)


def item_ids(given: list[str] | None) -> "tuple[ItemId, ...]":
    """The entries of comma-separated lists; an id that holds a comma stands in double quotes, as in CSV."""
    import csv

    from assay.domain.benchmark import ItemId
    from assay.domain.errors import InvalidValueError

    found: dict[str, None] = {}
    for text in given or ():
        try:
            [row] = csv.reader([text], strict=True, skipinitialspace=True)
        except csv.Error as error:
            raise InvalidValueError(f"--item {text[:100]!r} is not a list of ids: {error}") from error
        names = [part.strip() for part in row if part.strip()]
        # No id at all must not become a run of every item, as when the variable of a script is empty.
        if not names:
            raise InvalidValueError("--item names no item: give an id, or leave the option out to ask all")
        found |= dict.fromkeys(names)
    return tuple(map(ItemId, found))


def generation(
    *,
    temperature: float | None,
    top_p: float | None,
    max_tokens: int | None,
    reasoning_effort: str | None,
    further: Mapping[str, Any] | None = None,
) -> "Generation":
    """`further` has settings as `Generation` names them."""
    from assay.domain.calls.messages import Generation

    return Generation(
        temperature=temperature,
        top_p=top_p,
        max_tokens=max_tokens,
        reasoning_effort=reasoning_effort,
        **(further or {}),
    )


def further_settings(
    *,
    system: str | None,
    stop: list[str] | None,
    model_seed: int | None,
    option: list[str] | None,
    timeout: float | None,
    retries: int | None,
    logprobs: bool,
) -> dict[str, Any]:
    from assay.domain.calls.request_options import parsed_options

    return {
        "system": None if system is None else _text_or_file(system),
        "stop": tuple(stop or ()),
        "seed": model_seed,
        "options": parsed_options(option or ()),
        "timeout_s": timeout,
        "retries": retries,
        "logprobs": logprobs or None,
    }


def _text_or_file(text: str) -> str:
    from assay.domain.errors import InvalidValueError

    if not text.startswith("@"):
        return text
    try:
        return Path(text[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidValueError(f"cannot read the system prompt {text[1:]!r}: {error}") from error


def headers(given: list[str] | None) -> dict[str, str]:
    from assay.domain.calls.headers import parsed_headers

    return parsed_headers(given or [])


def base_urls(given: list[str] | None) -> "tuple[str | None, dict[str, ModelEndpoint]]":
    """The address for all models, and those of single ones, given as MODEL=URL."""
    import re

    from assay.domain.errors import InvalidValueError
    from assay.domain.run import ModelEndpoint

    shared: str | None = None
    own: dict[str, ModelEndpoint] = {}
    for text in given or ():
        # A model's name may hold the sign too.
        found = re.fullmatch(r"\s*(?!https?://)(\S+?)\s*=\s*(https?://.*)", text)
        if found is None:
            if shared is not None:
                raise InvalidValueError("--base-url is given twice for all models: write MODEL=URL for one")
            shared = text
        elif found[1] in own:
            raise InvalidValueError(f"--base-url is given twice for {found[1]!r}")
        else:
            own[found[1]] = ModelEndpoint(base_url=found[2].strip())
    return shared, own


def price(sent: str | None, received: str | None) -> "Price | None":
    from assay.domain.calls.pricing import Price
    from assay.domain.errors import InvalidValueError

    per_sent, per_received = usd(sent, "price"), usd(received, "price")
    if per_sent is None and per_received is None:
        return None
    if per_sent is None or per_received is None:
        raise InvalidValueError("a price has two parts: give --price-in and --price-out")
    if min(per_sent, per_received) < 0:
        raise InvalidValueError("price must be at least 0 USD per million tokens")
    return Price(per_sent, per_received, source="given with the run")


def usd(text: str | None, what: str = "budget") -> Decimal | None:
    from decimal import InvalidOperation

    from assay.domain.errors import InvalidValueError

    if text is None:
        return None
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("nan")
    if not amount.is_finite():
        raise InvalidValueError(f"{what} must be an amount in USD such as 2.50, not {text!r}")
    return amount
