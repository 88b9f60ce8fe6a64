"""`assay datasets`: data of your own."""

from pathlib import Path
from typing import Annotated

import typer

from assay.cli import options

app = typer.Typer(
    help="Add, list, show and remove data sets of your own, and get their results.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Name = Annotated[
    str, typer.Argument(metavar="NAME[@VERSION]", help="A data set; the newest version by default.")
]


@app.command()
def add(
    file: Annotated[
        Path, typer.Argument(help="A file with one JSON object on each line, or a CSV file with a header.")
    ],
    *,
    name: Annotated[str | None, typer.Option(help="Default: made from the file's name.")] = None,
    grader: options.Grader = "exact",
    prompt_field: Annotated[
        str | None, typer.Option(help="The field or column that holds the prompt, if not `prompt`.")
    ] = None,
    answer_field: Annotated[
        str | None, typer.Option(help="The one that holds the expected answer, if not `expected`.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Check a file line by line and store it as a data set, or as its next version."""
    from assay.cli.actions.datasets.files import add_file
    from assay.engine.datasets.files import FieldNames
    from assay.engine.datasets.uploads import Upload

    grading, rule = options.default_grader(grader)
    fields = FieldNames(prompt_field, answer_field, rule)
    add_file(file, Upload(file.name, name, grading, fields=fields), as_json=json)


@app.command("list")
def list_datasets(*, json: options.Json = False) -> None:
    """List the data sets, newest first."""
    from assay.cli.actions.datasets.files import list_all

    list_all(as_json=json)


@app.command()
def show(name: Name, *, json: options.Json = False) -> None:
    """Show what is known of a data set."""
    from assay.cli.actions.datasets.files import show_one

    show_one(name, as_json=json)


@app.command()
def rm(name: Name) -> None:
    """Remove one version of a data set; the results of its runs stay."""
    from assay.cli.actions.datasets.files import remove_one

    remove_one(name)


Output = Annotated[
    Path | None, typer.Option("--out", "-o", help="File to write to; standard output by default.")
]


@app.command()
def results(
    run: options.Run,
    *,
    model: Annotated[str | None, typer.Option(help="Needed where the run has several models.")] = None,
    form: Annotated[
        str, typer.Option("--format", help="jsonl, as in OpenAI's batch output, or csv.")
    ] = "jsonl",
    which: Annotated[
        str, typer.Option(help="Which JSONL lines: output (replies), errors (failures), or all.")
    ] = "all",
    output: Output = None,
) -> None:
    """Write every answer of a run on a data set, in the order of its lines."""
    from assay.cli.actions.datasets.results import write_results

    write_results(run, model=model, form=form, which=which, output=output)


@app.command()
def compare(
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN [RUN…]", help="One run of several models, or several runs.")
    ],
    *,
    by: Annotated[
        str, typer.Option(help="exact, or normalised: letter case, white space and marks do not count.")
    ] = "normalised",
    judge: Annotated[
        str | None, typer.Option(help="Models that say whether differing answers mean the same.")
    ] = None,
    count: Annotated[int, typer.Option(help="Most pairs of answers to have judged.")] = 100,
    json: options.Json = False,
) -> None:
    """Say how far models agree on the same data set, and on which lines they do not."""
    from assay.cli.actions.datasets.results import compare_answers

    compare_answers(runs, by=by, judge=judge, count=count, as_json=json)


@app.command()
def training(
    run: options.Run,
    *,
    form: Annotated[
        str, typer.Option("--format", help="chat (one conversation a line) or preference (pairs).")
    ] = "chat",
    output: Output = None,
) -> None:
    """Write the answers that people labelled golden, and their corrections, as lines to train on."""
    from assay.cli.actions.datasets.results import write_training

    write_training(run, form=form, output=output)
