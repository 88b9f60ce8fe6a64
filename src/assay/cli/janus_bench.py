"""The `janus-bench` command: the Janus suite with the flags and reports of the original."""

from pathlib import Path
from typing import Annotated, NoReturn

import typer

from assay.cli import options
from assay.cli.process import run_command

app = typer.Typer(
    name="janus-bench",
    help="Run the Janus suite against an endpoint, and read its reports.",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_Output = Annotated[Path | None, typer.Option("--output", "-o", help="File that gets the JSON.")]
_Report = Annotated[Path, typer.Argument(help="A report that `janus-bench run` wrote.")]


@app.command()
def run(
    *,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="Address of the endpoint; default: http://localhost:8000."),
    ] = None,
    suite: Annotated[
        str, typer.Option("--suite", "-s", help="A suite, as `janus-bench list-suites` lists.")
    ] = "public/dev",
    benchmark: Annotated[
        str | None, typer.Option("--benchmark", "-b", help="The only benchmark of the suite to run.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", help="Name that is sent; default: janus-baseline-agent-cli."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File of the report; default: bench_results_<run id>.json."),
    ] = None,
    subset: Annotated[
        int | None, typer.Option(min=1, max=100, help="Percent of the items; default: 100.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Which items a subset takes; default: 42.")] = None,
    timeout: Annotated[
        float | None, typer.Option(help="Seconds until a call is given up; default: 300.")
    ] = None,
    weights: options.Weights = None,
    minimum_quality: options.MinimumQuality = 0.25,
    warmup: options.Warmup = 0,
    samples: Annotated[int, typer.Option(help="Attempts per item.")] = 1,
    max_connections: Annotated[
        int, typer.Option(help="Most calls at once; with one, no call slows another down.")
    ] = 1,
    data: Annotated[
        str, typer.Option(help="official, demo, or a file or folder of your own tasks.")
    ] = "official",
) -> None:
    """Run a suite against an endpoint, print its scores and write a report."""
    from assay.cli.actions.janus.run import JanusRequest, run_suite

    run_suite(
        JanusRequest(
            suite=suite,
            benchmark=benchmark,
            target=target,
            model=model,
            subset=subset,
            seed=seed,
            timeout_s=timeout,
            weights=weights,
            minimum_quality=minimum_quality,
            warmup=warmup,
            samples=samples,
            max_connections=max_connections,
            data=data,
        ),
        output=output,
    )


@app.command("list-suites")
def list_suites() -> None:
    """List the suites."""
    from assay.engine.janus.suites import SUITES

    for suite in SUITES:
        typer.echo(f"{suite.name:20} {suite.description}")


@app.command("list-benchmarks")
def list_benchmarks() -> None:
    """List the benchmarks of the Janus suite."""
    from assay.cli.actions.janus.reports import list_janus_benchmarks

    list_janus_benchmarks()


@app.command()
def show(file: _Report) -> None:
    """Print a report."""
    from assay.cli.actions.janus.reports import show_report

    show_report(file)


@app.command()
def analyze(file: _Report, *, output: _Output = None) -> None:
    """Print the spread of times and rates in a report, and its failed and slow tasks."""
    from assay.cli.actions.janus.reports import analyze_report

    analyze_report(file, output)


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(metavar="CLI_REPORT", help="A report.")],
    second: Annotated[Path, typer.Argument(metavar="LANGCHAIN_REPORT", help="Another report.")],
    *,
    output: _Output = None,
) -> None:
    """Compare two reports category by category."""
    from assay.cli.actions.janus.reports import compare_reports

    compare_reports(first, second, output)


@app.callback(invoke_without_command=True)
def _options(
    *,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)
    ] = False,
) -> None:
    if version:
        _print_version()
        raise typer.Exit


def _print_version() -> None:
    from assay.installation import version

    typer.echo(f"janus-bench {version()}")


def main() -> NoReturn:
    run_command(app, print_version=_print_version)
