"""What `assay doctor` says about the places where code can run."""

from assay.bootstrap import code_sandbox
from assay.cli.output.finding import Finding
from assay.domain.errors import AssayError
from assay.domain.sandbox import Isolation
from assay.engine.sandbox.selected import SelectedSandbox
from assay.engine.sandbox.selection import Probe
from assay.settings import Settings


async def examine_sandboxes(settings: Settings) -> list[Finding]:
    """Each backend, tried out; then the one that runs would use."""
    sandbox = code_sandbox(settings)
    try:
        probes = await sandbox.probes()
        return [*map(_backend, probes), await _chosen(sandbox)]
    finally:
        await sandbox.close()


def _backend(probe: Probe) -> Finding:
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


async def _chosen(sandbox: SelectedSandbox) -> Finding:
    what = "code runs in"
    try:
        probe = await sandbox.selected()
    except AssayError as error:
        first, *rest = error.message.splitlines()
        return Finding(what, "note", f"nothing: {first}", "\n    ".join(line.strip() for line in rest))
    if probe.isolation is Isolation.NONE:
        return Finding(what, "note", "UNSAFE: nothing confines it", is_alarming=True)
    return Finding(what, "ok", probe.backend)
