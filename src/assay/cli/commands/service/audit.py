"""`assay audit`."""

from typing import Annotated

import typer

from assay.cli import options


def audit(
    *,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="Newest entries to show.")] = 50,
    json: options.Json = False,
) -> None:
    """Show who signed in and who changed what, newest first."""
    from dataclasses import asdict

    from assay.cli.event_loop import run_async
    from assay.cli.output.write import write_json, write_table
    from assay.domain.access.identity import AuditEntry
    from assay.installation import opened_stores
    from assay.settings import load_settings

    async def read() -> tuple[AuditEntry, ...]:
        async with opened_stores(load_settings()) as stores:
            return await stores.identity.audit_log(limit=limit)

    entries = run_async(read())
    if json:
        write_json({"entries": [asdict(one) for one in entries]})
        return
    if not entries:
        typer.echo("nothing is in the audit log yet")
        return
    rows = [
        (f"{one.at:%Y-%m-%d %H:%M:%S}", one.actor, one.action, one.target, one.outcome) for one in entries
    ]
    write_table(("AT", "WHO", "ACTION", "WHAT", "OUTCOME"), rows)
