"""Upgrades, backs up and restores the database of this installation."""

from datetime import UTC, datetime
from pathlib import Path

from assay.adapters.store.backup.archive import restore_backup, write_backup
from assay.adapters.store.database.database import connected
from assay.adapters.store.database.url import located
from assay.adapters.store.schema import HEAD, prepare, rehearse
from assay.cli.event_loop import run_async
from assay.cli.output.write import write_note
from assay.domain.stats import plural
from assay.installation import prepare_home, version
from assay.settings import Settings, load_settings


def upgrade_database(*, dry_run: bool) -> None:
    settings = load_settings()
    prepare_home(settings)

    async def work() -> None:
        database = connected(located(settings.store_url))
        try:
            found = await rehearse(database) if dry_run else None
            if found is None:
                await prepare(database)
                write_note(f"{database.location} has schema {HEAD}")
            elif found.revision == HEAD:
                write_note(f"{database.location} has schema {HEAD} already: nothing to do")
            else:
                before = "empty" if found.revision is None else f"schema {found.revision}"
                write_note(
                    f"{database.location}: {before} to schema {HEAD} takes {found.seconds:.1f} s and works;"
                    " nothing was changed"
                )
        finally:
            await database.close()

    run_async(work())


def back_up(file: Path) -> None:
    settings = load_settings()
    location = located(settings.store_url)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    found = write_backup(file, settings.assay_home, location, version=version(), created_at=now)
    write_note(
        f"{file}: {location} with {plural(len(found.files) - 1, 'file')} of {str(settings.assay_home)!r};"
        f" {file.stat().st_size:,} bytes"
    )
    _note_objects(settings, "it does not hold what is in")
    write_note(
        "It holds the keys of this installation: keep it as safe as they are. Keys given as settings are not"
        " in it."
    )


def _note_objects(settings: Settings, what: str) -> None:
    if settings.assay_object_store:
        write_note(
            f"Data sets and long texts: {what} {settings.assay_object_store}; see"
            " docs/how-to/back-up-and-upgrade.md"
        )


def restore_from(file: Path) -> None:
    settings = load_settings()
    prepare_home(settings)
    location = located(settings.store_url)
    found = restore_backup(file, settings.assay_home, location)
    write_note(
        f"{location} and {plural(len(found.files) - 1, 'file')} are as of {found.created_at}, written by"
        f" Assay {found.version}; go on with `assay up`, or `assay resume` for a run of the command line"
    )
    _note_objects(settings, "they are read from")
