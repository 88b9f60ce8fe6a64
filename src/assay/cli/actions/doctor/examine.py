"""What `assay doctor` looks at."""

import asyncio
import platform
import sys
from collections.abc import Callable
from importlib.util import find_spec
from tempfile import TemporaryFile

from assay.bootstrap import (
    code_sandbox,
    data_library,
    model_directory,
    prepared_environments,
    task_containers,
)
from assay.cli.actions.doctor.finding import Finding
from assay.cli.actions.doctor.fleet import examine_fleet
from assay.cli.actions.doctor.objects import examine_objects
from assay.domain.benchmark import HasEnvironment
from assay.domain.errors import AssayError, install_command
from assay.domain.programs.sandbox import Isolation
from assay.engine.planning.catalogue import Catalogue
from assay.engine.sandbox.selected import SelectedSandbox
from assay.engine.sandbox.selection import Probe
from assay.installation import prepare_home, version
from assay.settings import Settings

_EXTRAS = {
    "hub": ("huggingface_hub", "pyarrow"),
    "ifbench": ("emoji", "syllapy"),
    "ifeval": ("langdetect",),
    "objects": ("obstore",),
    "otel": ("opentelemetry.sdk", "opentelemetry.exporter"),
    "pdf": ("typst",),
    "qa": ("pypdf",),
}


async def examine(settings: Settings) -> list[Finding]:
    return [
        Finding("assay", "ok", f"{version()} on Python {platform.python_version()}, {sys.platform}"),
        _home(settings),
        *await examine_fleet(settings),
        await asyncio.to_thread(examine_objects, settings),
        *_benchmarks(settings),
        *map(_extra, _EXTRAS),
        *_packages(settings),
        *await _sandboxes(settings),
        await _containers(settings),
        _ui(),
        await _providers(settings),
    ]


def _home(settings: Settings) -> Finding:
    def use() -> None:
        prepare_home(settings)
        with TemporaryFile(dir=settings.assay_home):
            pass

    remedy = "set ASSAY_HOME to a folder you can write to"
    return _tried("data folder", use, str(settings.assay_home), remedy)


def _tried(what: str, use: Callable[[], None], state: str, remedy: str) -> Finding:
    try:
        use()
    except (OSError, AssayError) as error:
        return Finding(what, "failure", f"{state}: {error}", remedy)
    return Finding(what, "ok", state)


def _benchmarks(settings: Settings) -> list[Finding]:
    catalogue, library = Catalogue.installed(), data_library(settings)
    found = [
        Finding(
            f"benchmark {name}", "failure", f"does not load: {reason}", "reinstall the package that brings it"
        )
        for name, reason in catalogue.broken.items()
    ]
    for name in catalogue.names:
        if ":" in name:
            continue
        card = catalogue.get(name).card
        if library.is_fetched(card):
            state = "data included" if card.source.is_included else "official data fetched"
            found.append(Finding(f"benchmark {name}", "ok", state))
        else:
            remedy = f"assay data fetch {name}, or use --data demo"
            found.append(Finding(f"benchmark {name}", "note", "official data not fetched", remedy))
    return found


def _extra(name: str) -> Finding:
    absent = [module for module in _EXTRAS[name] if find_spec(module) is None]
    if absent:
        return Finding(f"extra {name}", "note", f"{', '.join(absent)} not installed", install_command(name))
    return Finding(f"extra {name}", "ok", "installed")


def _packages(settings: Settings) -> list[Finding]:
    catalogue, prepared = Catalogue.installed(), prepared_environments(settings)
    found: list[Finding] = []
    for name in catalogue.names:
        benchmark = catalogue.get(name)
        if ":" in name or not isinstance(benchmark, HasEnvironment):
            continue
        if prepared.is_prepared(name, benchmark.environment):
            found.append(Finding(f"packages of {name}", "ok", "installed"))
        else:
            found.append(
                Finding(f"packages of {name}", "note", "not installed", f"assay data prepare {name}")
            )
    return found


def _ui() -> Finding:
    if find_spec("assay_ui") is None:
        return Finding("web UI", "note", "not in this installation", "install without ASSAY_SKIP_UI_BUILD")
    return Finding("web UI", "ok", "installed")


async def _providers(settings: Settings) -> Finding:
    providers = await model_directory(settings).connected_providers()
    ready = [one.prefix for one in providers if one.is_ready and one.key_variable]
    if not ready:
        remedy = "set a provider's key, such as OPENAI_API_KEY, or start a local server"
        return Finding("model providers", "note", "none is ready; sim/ models are", remedy)
    return Finding("model providers", "ok", f"ready: {', '.join(ready)}")


async def _sandboxes(settings: Settings) -> list[Finding]:
    """Each backend, tried out; then the one that runs would use."""
    sandbox = code_sandbox(settings)
    try:
        probes = await sandbox.probes()
        return [*map(_sandbox_backend, probes), await _chosen_sandbox(sandbox)]
    finally:
        await sandbox.close()


async def _containers(settings: Settings) -> Finding:
    containers = task_containers(settings)
    try:
        state = f"{await containers.version()}, {settings.assay_container_slots} at once"
        return Finding("containers", "ok", state)
    except AssayError as error:
        state, _, remedy = error.message.partition("; ")
        return Finding("containers", "note", state, remedy)
    finally:
        await containers.close()


def _sandbox_backend(probe: Probe) -> Finding:
    what = f"sandbox {probe.backend}"
    if not probe.is_available:
        return Finding(what, "note", f"unavailable: {probe.reason}", probe.fix)
    if probe.isolation is Isolation.NONE:
        state = "confines nothing; only used with ASSAY_SANDBOX=unsafe and ASSAY_MIN_ISOLATION=none"
        return Finding(what, "note", state)
    versions = ", ".join(f"{name} {version}" for name, version in probe.versions.items())
    claim = "" if probe.is_verified else " as the service claims"
    enforced = ", ".join(sorted(probe.enforced))
    return Finding(what, "ok", f"isolation {probe.isolation.label}{claim}; enforces {enforced} ({versions})")


async def _chosen_sandbox(sandbox: SelectedSandbox) -> Finding:
    what = "code runs in"
    try:
        probe = await sandbox.selected()
    except AssayError as error:
        first, *rest = error.message.splitlines()
        return Finding(what, "note", f"nothing: {first}", "\n    ".join(line.strip() for line in rest))
    if probe.isolation is Isolation.NONE:
        return Finding(what, "note", "UNSAFE: nothing confines it", is_alarming=True)
    return Finding(what, "ok", probe.backend)
