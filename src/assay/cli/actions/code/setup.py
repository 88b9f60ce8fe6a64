"""Installs the toolchains that packages exist for, and says what is missing of the others."""

from collections.abc import Sequence

import typer

from assay.adapters.prepared.toolchains import PACKAGES, Toolchains
from assay.bootstrap import toolchains as installed_toolchains
from assay.cli.output.write import write_note
from assay.domain.errors import DataMissingError, InvalidValueError
from assay.installation import prepare_home
from assay.settings import load_settings

_NAMES = ("go", "node", "rust", "cpp")


def set_up(named: Sequence[str]) -> None:
    for name in named:
        if name not in PACKAGES:
            raise InvalidValueError(
                f"{name!r} cannot be installed here: there are packages of {', '.join(PACKAGES)}"
            )
    settings = load_settings()
    prepare_home(settings)
    toolchains = installed_toolchains(settings)
    for name in _NAMES:
        if name in named or (name in PACKAGES and not _is_there(toolchains, name)):
            typer.echo(f"{name}: installing {PACKAGES[name]}", err=True)
            toolchains.install(name)
        _say(toolchains, name)


def _is_there(toolchains: Toolchains, name: str) -> bool:
    try:
        toolchains.find(name)
    except DataMissingError:
        return False
    return True


def _say(toolchains: Toolchains, name: str) -> None:
    try:
        found = toolchains.find(name)
    except DataMissingError as error:
        write_note(error.message)
        return
    if name == "go":
        typer.echo("go: building the standard library, once", err=True)
    toolchains.prime(name)
    typer.echo(f"{name}: {found.version}")
