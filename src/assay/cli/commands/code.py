"""`assay code`: the tasks of the code catalogue, and the commands of the harness that they come from."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from assay.cli import options

app = typer.Typer(help="Run, list and check code tasks.", no_args_is_help=True, rich_markup_mode=None)

_LISTS = ("--tasks", "--models")
_Data = Annotated[
    str, typer.Option(metavar="FOLDER", help="A folder of tasks of your own, instead of those of Assay.")
]


class _RunCommand(TyperCommand):
    """Takes lists with spaces too, as in `--tasks one two`: the command has no other arguments."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - the type has no public name
        joined: list[str] = []
        is_list = has_value = False
        for one in args:
            if one.startswith("-"):
                is_list, has_value = one in _LISTS, False
            elif is_list and has_value:
                joined[-1] += f",{one}"
                continue
            else:
                has_value = True
            joined.append(one)
        return super().parse_args(ctx, joined)


@app.command(cls=_RunCommand)
def run(
    *,
    task: Annotated[str | None, typer.Option(metavar="ID", help="The only task to run.")] = None,
    tasks: Annotated[
        list[str] | None,
        typer.Option(metavar="ID[,ID…]|all", help="Tasks to run, or all; may be given several times."),
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option(metavar="MODEL[,MODEL…]", help="Models, as provider/name; default: DEFAULT_MODEL."),
    ] = None,
    samples: Annotated[int, typer.Option(help="Attempts per task.")] = 1,
    temperature: Annotated[float | None, typer.Option(help="Default: 0.")] = None,
    provider: Annotated[
        str | None, typer.Option(metavar="NAME", help="The only provider that OpenRouter may use.")
    ] = None,
    max_tokens: options.MaxTokens = None,
    thinking_level: Annotated[
        str | None, typer.Option(help="A word such as high, or budget_tokens=N.")
    ] = None,
    include_thinking_variants: Annotated[
        bool, typer.Option("--include-thinking-variants", help="Ask with and without the thinking level.")
    ] = False,
    sweep_thinking_levels: Annotated[
        bool,
        typer.Option("--sweep-thinking-levels", help="Ask without a level, and at low, medium and high."),
    ] = False,
    response_file: Annotated[
        Path | None,
        typer.Option(help="Grade this reply; no model is called. For one task, model and sample."),
    ] = None,
    dry_run: options.DryRun = False,
    include_tests: Annotated[
        bool, typer.Option("--include-tests", help="Show the tests to the model.")
    ] = False,
    install_deps: Annotated[
        bool, typer.Option("--install-deps", help="Has no effect: tasks have no dependencies.")
    ] = False,
    output_dir: Annotated[Path, typer.Option(help="Folder that gets a folder for each run.")] = Path("runs"),
    allow_incomplete_diffs: Annotated[
        bool,
        typer.Option(
            "--allow-incomplete-diffs/--no-allow-incomplete-diffs",
            help="Take a diff whose block is not closed.",
        ),
    ] = False,
    allow_diff_rewrite_fallback: Annotated[
        bool,
        typer.Option(
            "--allow-diff-rewrite-fallback/--no-allow-diff-rewrite-fallback",
            help="Take a diff that does not fit as a whole file, or where it fits roughly.",
        ),
    ] = False,
    resume_from: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Go on with the run whose folder this is.")
    ] = None,
    retry_api_errors: Annotated[
        bool,
        typer.Option("--retry-api-errors", help="With --resume-from: repeat API errors too; the default."),
    ] = False,
    resume_incomplete: Annotated[
        bool, typer.Option("--resume-incomplete", help="With --resume-from: only what was not done.")
    ] = False,
    data: _Data = "official",
    base_url: options.BaseUrl = None,
) -> None:
    """Run code tasks, and write the prompts, replies, patches and logs of every attempt to a folder."""
    from assay.cli.actions.code.run import CodeRequest, dry_run_tasks, resume_tasks, run_tasks
    from assay.domain.errors import InvalidValueError
    from assay.engine.code_harness.options import Options
    from assay.engine.code_harness.thinking import Thinking, benchmark_names

    if retry_api_errors and resume_incomplete:
        raise InvalidValueError("give --retry-api-errors or --resume-incomplete, not both")
    if resume_from is not None:
        if task or tasks or models:
            raise InvalidValueError("--resume-from goes on with the tasks and models of its run: name none")
        resume_tasks(resume_from, with_api_errors=not resume_incomplete)
    if retry_api_errors or resume_incomplete:
        raise InvalidValueError("--retry-api-errors and --resume-incomplete need --resume-from DIR")
    request = CodeRequest(
        tasks=_tasks(task, tasks),
        models=_models(models),
        benchmarks=benchmark_names(
            Options(
                include_tests=include_tests,
                allow_incomplete_diffs=allow_incomplete_diffs,
                allow_rewrite_fallback=allow_diff_rewrite_fallback,
                provider=provider,
            ),
            Thinking(thinking_level, include_thinking_variants, sweep_thinking_levels),
        ),
        samples=samples,
        generation=options.generation(
            temperature=temperature, top_p=None, max_tokens=max_tokens, reasoning_effort=None
        ),
        data=options.absolute(data),
        base_url=base_url,
    )
    if install_deps:
        typer.echo(
            "--install-deps has no effect: tasks have no dependencies, and sandboxes no network", err=True
        )
    if dry_run:
        dry_run_tasks(request)
    else:
        run_tasks(request, output=output_dir, response_file=response_file)


@app.command("tasks")
def list_tasks(*, data: _Data = "official", json: options.Json = False) -> None:
    """List the tasks, and which of them can be tested on this machine."""
    from assay.cli.actions.code.tasks import list_tasks as list_them

    list_them(options.absolute(data), as_json=json)


@app.command()
def validate(
    folder: Annotated[Path, typer.Argument(help="A folder of tasks, or that of one task.")],
    *,
    no_run: Annotated[bool, typer.Option("--no-run", help="Read the files only; run no test.")] = False,
) -> None:
    """Say what is wrong in a folder of tasks, and test the solutions in it."""
    from assay.cli.actions.code.selftest import validate_folder

    validate_folder(folder, runs=not no_run)


@app.command()
def selftest(
    task: Annotated[list[str] | None, typer.Argument(metavar="[TASK]…", help="Default: all tasks.")] = None,
    *,
    data: _Data = "official",
    json: options.Json = False,
) -> None:
    """Prove that every task can be solved, and that its tests find wrong solutions."""
    from assay.cli.actions.code.selftest import selftest_tasks

    selftest_tasks(options.absolute(data), task or [], as_json=json)


@app.command()
def setup(
    language: Annotated[
        list[str] | None,
        typer.Argument(metavar="[go|node]…", help="Install these even if this machine has them."),
    ] = None,
) -> None:
    """Install what tasks in Go and JavaScript need, and say what else is missing."""
    from assay.cli.actions.code.setup import set_up

    set_up(language or [])


def _tasks(task: str | None, tasks: list[str] | None) -> tuple[str, ...] | None:
    """None for all."""
    from assay.domain.errors import InvalidValueError

    if (task is None) == (tasks is None):
        raise InvalidValueError("name the tasks: give either --task ID, or --tasks ID,ID… or --tasks all")
    named = options.names(",".join([task] if task is not None else tasks or []))
    if not named:
        raise InvalidValueError("no task is named: give an id, or --tasks all")
    if "all" not in named:
        return named
    if len(named) > 1:
        raise InvalidValueError("--tasks names all tasks and single ones: give one or the other")
    return None


def _models(given: list[str] | None) -> tuple[str, ...]:
    from assay.domain.errors import InvalidValueError
    from assay.settings import load_settings

    found = options.names(",".join(given) if given else load_settings().default_model or "")
    if not found:
        raise InvalidValueError("name the models with --models, or set DEFAULT_MODEL")
    return found
