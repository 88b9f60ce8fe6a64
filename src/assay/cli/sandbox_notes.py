"""What commands say about where code runs; that nothing confines it is said in red."""

from collections.abc import Mapping

import typer

from assay.domain.benchmark import Need
from assay.domain.messages import Json
from assay.domain.run import RunSpec
from assay.domain.sandbox import Isolation
from assay.engine.runs import Engine
from assay.engine.sandbox_record import DETAIL
from assay.engine.stock import is_dataset

_UNSAFE = "UNSAFE: code that a model wrote runs here as an ordinary program, with nothing around it"


async def check_sandbox(engine: Engine, spec: RunSpec) -> None:
    """Find out before a run is made whether its code can be run here; raises SandboxUnavailableError."""
    needs = (engine.catalogue.get(name).card.needs for name in spec.benchmarks if not is_dataset(name))
    if engine.sandbox is None or not any(Need.SANDBOX in one for one in needs):
        return
    probe = await engine.sandbox.selected()
    if probe.isolation is Isolation.NONE:
        typer.secho(_UNSAFE, fg=typer.colors.RED, bold=True, err=True)


def print_confinement(details: Mapping[str, Json]) -> None:
    """How the attempt's code was confined, where it ran any."""
    noted = details.get(DETAIL)
    if not isinstance(noted, Mapping):
        return
    enforced = noted.get("enforced")
    limits = ", ".join(map(str, enforced)) if isinstance(enforced, list) else ""
    claim = "" if noted.get("verified") else " (claimed by the service, not verified)"
    line = f"sandbox: {noted.get('backend')}, isolation {noted.get('isolation')}{claim}, enforced: {limits}"
    if noted.get("isolation") == Isolation.NONE.label:
        typer.secho(f"UNSAFE {line}", fg=typer.colors.RED, bold=True)
        return
    typer.echo(line)
