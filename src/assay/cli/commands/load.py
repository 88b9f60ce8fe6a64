"""`assay load`: for those who serve models."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from assay.cli import completion, options
from assay.domain.load import DEFAULT_TIMEOUT_S

_CLIENTS = "1,2,4,8"
_OUTPUT_TOKENS = "128"


def load(
    model: Annotated[
        str, typer.Argument(help="A model, as provider/name.", autocompletion=completion.models)
    ],
    *,
    concurrency: Annotated[
        str | None,
        typer.Option(
            metavar="LOAD[,LOAD…]",
            help=f"Closed loop of so many clients: steps such as {_CLIENTS} (default), ramps such as 1..64.",
        ),
    ] = None,
    rate: Annotated[
        str | None,
        typer.Option(
            metavar="LOAD[,LOAD…]",
            help="Open loop of so many requests per second: steps such as 1,2.5,5, ramps such as 1..50.",
        ),
    ] = None,
    arrivals: Annotated[
        Literal["poisson", "constant"], typer.Option(help="How the requests of an open loop are spaced.")
    ] = "poisson",
    duration: Annotated[float, typer.Option(metavar="SECONDS", help="How long each load is held.")] = 30.0,
    requests: Annotated[int | None, typer.Option(help="Most requests of each load.")] = None,
    prompt_tokens: Annotated[
        str,
        typer.Option(
            metavar="LENGTH",
            help="Length of the prompts: 256, uniform:64-512, normal:256,64 or lognormal:256,128 (mean, SD).",
        ),
    ] = "256",
    output_tokens: Annotated[
        str | None,
        typer.Option(
            metavar="LENGTH",
            help=f"Cap on the tokens of a reply, likewise; default: {_OUTPUT_TOKENS}, none with --prompts.",
        ),
    ] = None,
    prompts: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Send the prompts of dataset:NAME or of a benchmark's demo items instead.",
            callback=options.one_benchmark,
        ),
    ] = None,
    ignore_eos: Annotated[
        bool, typer.Option("--ignore-eos", help="Ask vLLM or SGLang to write up to the cap.")
    ] = False,
    seed: Annotated[
        str | None, typer.Option(help="Of the lengths, texts and arrivals; fixed by default.")
    ] = None,
    warm_up: Annotated[int, typer.Option(help="Requests before the first load, which do not count.")] = 4,
    goodput: Annotated[
        str | None,
        typer.Option(
            metavar="LIMITS",
            help='What a good reply keeps, such as "ttft<500ms,itl<50ms,e2e<5s,tokens_per_s>20".',
        ),
    ] = None,
    stall_ms: Annotated[
        float, typer.Option(help="A gap between chunks that is longer is a stall.")
    ] = 1_000.0,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", help="A reply that takes longer is a failure.")
    ] = DEFAULT_TIMEOUT_S,
    max_in_flight: Annotated[int, typer.Option(help="Most unanswered requests at once.")] = 900,
    max_requests: Annotated[int, typer.Option(help="Most requests of the whole test.")] = 10_000,
    max_duration: Annotated[
        float, typer.Option(metavar="SECONDS", help="After so long, nothing more is sent.")
    ] = 3_600.0,
    budget_usd: Annotated[str | None, typer.Option(help="End the test when it has cost this much.")] = None,
    budget_tokens: Annotated[int | None, typer.Option(help="End the test after this many tokens.")] = None,
    price_in: options.PriceIn = None,
    price_out: options.PriceOut = None,
    base_url: options.BaseUrl = None,
    name: Annotated[str, typer.Option(help="What you call the test.")] = "",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the result to this file, as JSON.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Measure latency, throughput and goodput of an endpoint against load."""
    from assay.cli.actions.load_test import load_test
    from assay.domain.errors import InvalidValueError
    from assay.domain.load import LoadLimits, LoadSpec
    from assay.domain.run import DEFAULT_SEED, Budget
    from assay.engine.load.schedule import read_stages

    if concurrency is not None and rate is not None:
        raise InvalidValueError("a loop is closed or open: give --concurrency or --rate, not both")
    loop = "closed" if rate is None else "open"
    spec = LoadSpec(
        model=model,
        loop=loop,
        stages=read_stages(rate or concurrency or _CLIENTS, loop),
        stage_s=duration,
        stage_requests=requests,
        spacing=arrivals,
        seed=DEFAULT_SEED if seed is None else seed,
        prompt_tokens=prompt_tokens,
        output_tokens=output_tokens or (_OUTPUT_TOKENS if prompts is None else None),
        prompts=prompts,
        ignore_eos=ignore_eos,
        warm_up=warm_up,
        goodput=goodput,
        stall_ms=stall_ms,
        limits=LoadLimits(
            requests=max_requests,
            duration_s=max_duration,
            budget=Budget(usd=options.usd(budget_usd), tokens=budget_tokens),
            timeout_s=timeout,
            in_flight=max_in_flight,
        ),
        price=options.price(price_in, price_out),
        name=name,
    )
    load_test(spec, base_url=base_url, output=output, as_json=json)
