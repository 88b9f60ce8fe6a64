"""The `assay` command. Commands import what they need when they run: `assay --help` must answer at once."""

from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from assay.cli.commands import (
    archive,
    benchmarks,
    code,
    compare,
    composite,
    control,
    data,
    datasets,
    describe,
    export,
    fidelity,
    gate,
    grade,
    load,
    noise,
    offload,
    plan,
    race,
    remove,
    run,
    score,
    show,
    suite,
    verify,
)
from assay.cli.commands.service import audit, db, doctor, keys, models, serve, users
from assay.cli.commands.service import worker as work
from assay.cli.process import run_command

_RUN = "Run models"
_LOOK = "Look at runs"
_GRADE = "Grade answers and review grades"
_PROVE = "Prove scores"
_KNOW = "Benchmarks, models and data"
_SERVE = "Serve and check"


class _Commands(TyperGroup):
    """Lists the commands by what they are for, and says in our words what is wrong with an option."""

    # Typer brings the classes of contexts and formatters along under private names.
    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = _fault(error)
            raise

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401, ARG002
        for title in (_RUN, _LOOK, _GRADE, _PROVE, _KNOW, _SERVE):
            with formatter.section(title):
                formatter.write_dl(
                    [
                        (name, (command.help or "").partition("\n")[0])
                        for name, command in self.commands.items()
                        if isinstance(command, TyperCommand | TyperGroup) and command.rich_help_panel == title
                    ]
                )


app = typer.Typer(
    name="assay",
    cls=_Commands,
    help="Benchmark any model. Prove every score.",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("run", rich_help_panel=_RUN)(run.run)
app.command("race", rich_help_panel=_RUN)(race.race)
app.add_typer(suite.app, name="suite", rich_help_panel=_RUN)
app.command("plan", rich_help_panel=_RUN)(plan.plan)
app.command("resume", rich_help_panel=_RUN)(run.resume)
app.command("pause", rich_help_panel=_RUN)(control.pause)
app.command("cancel", rich_help_panel=_RUN)(control.cancel)
app.command("retry", rich_help_panel=_RUN)(control.retry)
app.command("requeue", rich_help_panel=_RUN)(control.requeue)
app.command("tune", rich_help_panel=_RUN)(control.tune)
app.add_typer(code.app, name="code", rich_help_panel=_RUN)
app.command("load", rich_help_panel=_RUN)(load.load)
app.command("fidelity", rich_help_panel=_RUN)(fidelity.fidelity)
app.command("noise", rich_help_panel=_RUN)(noise.noise)
app.command("list", rich_help_panel=_LOOK)(show.list_runs)
app.command("show", rich_help_panel=_LOOK)(show.show)
app.command("items", rich_help_panel=_LOOK)(show.items)
app.command("compare", rich_help_panel=_LOOK)(compare.compare)
app.command("composite", rich_help_panel=_LOOK)(composite.composite)
app.command("describe", rich_help_panel=_LOOK)(describe.describe)
app.command("archive", rich_help_panel=_LOOK)(archive.archive)
app.command("offload", rich_help_panel=_LOOK)(offload.offload)
app.command("rm", rich_help_panel=_LOOK)(remove.rm)
app.command("prune", rich_help_panel=_LOOK)(remove.prune)
app.command("grade", rich_help_panel=_GRADE)(grade.grade)
app.command("score", rich_help_panel=_GRADE)(score.score)
app.command("annotate", rich_help_panel=_GRADE)(score.annotate)
app.command("annotations", rich_help_panel=_GRADE)(score.annotations)
app.command("export", rich_help_panel=_PROVE)(export.export)
app.command("verify", rich_help_panel=_PROVE)(verify.verify)
app.command("gate", rich_help_panel=_PROVE)(gate.gate)
app.add_typer(keys.app, name="keys", rich_help_panel=_PROVE)
app.command("benchmarks", rich_help_panel=_KNOW)(benchmarks.benchmarks)
app.add_typer(models.app, name="models", rich_help_panel=_KNOW)
app.add_typer(data.app, name="data", rich_help_panel=_KNOW)
app.add_typer(datasets.app, name="datasets", rich_help_panel=_KNOW)
app.command("up", rich_help_panel=_SERVE)(serve.up)
app.command("api", rich_help_panel=_SERVE)(serve.api)
app.command("worker", rich_help_panel=_SERVE)(work.worker)
app.add_typer(users.app, name="users", rich_help_panel=_SERVE)
app.add_typer(db.app, name="db", rich_help_panel=_SERVE)
app.command("audit", rich_help_panel=_SERVE)(audit.audit)
app.command("doctor", rich_help_panel=_SERVE)(doctor.doctor)
app.command("sim-server", rich_help_panel=_SERVE)(serve.sim_server)
app.command("openapi", rich_help_panel=_SERVE)(serve.openapi)


def _fault(error: typer.BadParameter) -> str:
    """Typer reads options with pydantic, whose sentences say nothing of the value."""
    from pydantic import ValidationError

    from assay.settings import wanted

    cause = error.__cause__
    if not isinstance(cause, ValidationError):
        return error.message
    given = cause.errors()[0]["input"]
    text = wanted(cause)
    return text if repr(given) in text else f"{text}, not {given!r}"


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
    run_command(app, print_version=_print_version)
