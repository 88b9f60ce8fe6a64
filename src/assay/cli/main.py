"""The `assay` command. Commands import what they need when they run: `assay --help` must answer at once."""

import sys
from typing import Annotated, NoReturn

import typer

from assay.cli.commands import (
    benchmarks,
    compare,
    control,
    data,
    datasets,
    doctor,
    export,
    gate,
    grade,
    keys,
    models,
    run,
    score,
    serve,
    show,
    users,
    verify,
)
from assay.cli.commands import worker as work
from assay.domain.errors import AssayError, EndpointError, StoreError, UsageError

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_ENDPOINT = 3
EXIT_STORE = 4
EXIT_INTERRUPTED = 130

app = typer.Typer(
    name="assay",
    help="Benchmark any model. Prove every score.",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("up")(serve.up)
app.command("api")(serve.api)
app.command("worker")(work.worker)
app.command("run")(run.run)
app.command("resume")(run.resume)
app.command("cancel")(control.cancel)
app.command("pause")(control.pause)
app.command("retry")(control.retry)
app.command("requeue")(control.requeue)
app.command("tune")(control.tune)
app.command("grade")(grade.grade)
app.command("score")(score.score)
app.command("annotate")(score.annotate)
app.command("annotations")(score.annotations)
app.command("list")(show.list_runs)
app.command("show")(show.show)
app.command("compare")(compare.compare)
app.command("export")(export.export)
app.command("verify")(verify.verify)
app.command("gate")(gate.gate)
app.add_typer(keys.app, name="keys")
app.add_typer(users.app, name="users")
app.command("benchmarks")(benchmarks.benchmarks)
app.add_typer(models.app, name="models")
app.add_typer(data.app, name="data")
app.add_typer(datasets.app, name="datasets")
app.command("doctor")(doctor.doctor)
app.command("sim-server")(serve.sim_server)
app.command("openapi")(serve.openapi)


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

    typer.echo(f"assay {version()}")


def main() -> NoReturn:
    """Run the command; an error Assay raises on purpose is one line on standard error and an exit code."""
    try:
        if sys.argv[1:] == ["--version"]:
            # Typer reads options with pydantic, and importing that takes longer than everything else here.
            _print_version()
        else:
            app(standalone_mode=True)
    except AssayError as error:
        typer.echo(f"error: {error.message}", err=True)
        sys.exit(exit_code(error))
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output has seen enough.
        sys.stderr.close()
        sys.exit(EXIT_FAILED)
    sys.exit(0)


def exit_code(error: AssayError) -> int:
    if isinstance(error, UsageError):
        return EXIT_USAGE
    if isinstance(error, EndpointError):
        return EXIT_ENDPOINT
    if isinstance(error, StoreError):
        return EXIT_STORE
    return EXIT_FAILED
