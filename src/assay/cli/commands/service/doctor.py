"""`assay doctor`: what works on this machine, and how to fix what does not."""

from typing import Annotated

import typer

from assay.cli import options


def doctor(
    *,
    security: Annotated[
        bool,
        typer.Option("--security", help="Say who can reach it, and what protects its keys."),
    ] = False,
    json: options.Json = False,
) -> None:
    """Check this installation; exits with 1 where something that is needed is missing."""
    from assay.cli.actions.doctor.examine import examine
    from assay.cli.actions.doctor.security import examine_security
    from assay.cli.event_loop import run_async
    from assay.cli.output.write import write_json, write_note
    from assay.settings import load_settings

    settings = load_settings()
    findings = run_async(examine_security(settings) if security else examine(settings))
    if json:
        write_json({"findings": [one.document() for one in findings]})
    else:
        for one in findings:
            line = f"{one.mark} {one.what}: {one.state}"
            write_note(line, fg=typer.colors.RED if one.is_alarming else None)
            for remedy in one.remedy.splitlines():
                write_note(remedy, indent="    ")
    if any(one.is_failure for one in findings):
        raise typer.Exit(1)
