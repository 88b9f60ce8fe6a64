"""What a task's compose file asks for: one service, `client`, and nothing that a single container has not."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from assay.domain.calls.messages import Json
from assay.domain.programs.containers import GIB
from assay.domain.programs.sandbox import KIB, MIB

_SERVICE = "client"
_VARIABLE = re.compile(r"\$\{(\w+)(?:[^}]*)\}|\$(\w+)")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmg]?)b?", re.IGNORECASE)
_UNITS = {"": 1, "k": KIB, "m": MIB, "g": GIB}
# Folders of the harness inside the container.
FOLDERS = {"TEST_DIR": "/tests", "CONTAINER_LOGS_PATH": "/logs", "CONTAINER_AGENT_LOGS_PATH": "/agent-logs"}
_KNOWN = {f"T_BENCH_{name}": value for name, value in FOLDERS.items()}
# Of this machine, which the container does not see.
_HOST = "T_BENCH_TASK_"
_IGNORED = frozenset(
    {"container_name", "tty", "stdin_open", "init", "restart", "ports", "image", "hostname", "pull_policy"}
)
_SLEEPS = re.compile(r"sleep (infinity|\d+[smhd]?)|tail -f /dev/null")


class TaskUnsupportedError(ValueError):
    """What the file asks for, and is not given."""


@dataclass(frozen=True, slots=True)
class Service:
    dockerfile: str | None = "Dockerfile"
    image: str | None = None
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    has_network: bool = True
    workdir: str | None = None
    cpus: float | None = None
    memory_bytes: int | None = None


def service_in(content: Json) -> Service:
    """Raises TaskUnsupportedError with what stands in the way."""
    services = _table(content).get("services")
    if not isinstance(services, Mapping) or list(services) != [_SERVICE]:
        names = ", ".join(services) if isinstance(services, Mapping) else "none"
        raise TaskUnsupportedError(f"its compose file has the services {names}, not {_SERVICE!r} alone")
    unknown = _table(content).keys() - {"services", "version", "name"}
    if unknown:
        raise TaskUnsupportedError(f"its compose file has {', '.join(sorted(unknown))}")
    return _service(_table(services[_SERVICE]))


def _service(given: Mapping[str, Json]) -> Service:
    rest = {key: value for key, value in given.items() if key not in _IGNORED}
    dockerfile = _dockerfile(rest.pop("build", None), has_image="image" in given)
    command = rest.pop("command", None)
    if command is not None and _SLEEPS.search(_words(command)) is None:
        raise TaskUnsupportedError("its service has a command of its own")
    _check_volumes(rest.pop("volumes", None))
    network = rest.pop("network_mode", "bridge")
    workdir = rest.pop("working_dir", None)
    cpus, memory = _resources(rest.pop("deploy", None))
    cpus, memory = rest.pop("cpus", cpus), rest.pop("mem_limit", memory)
    env = _environment(rest.pop("environment", None))
    if rest:
        raise TaskUnsupportedError(f"its service has {', '.join(sorted(rest))}")
    if network not in ("none", "bridge", "default"):
        raise TaskUnsupportedError(f"its service has the network {network!r}")
    return Service(
        dockerfile,
        None if dockerfile is not None else _resolved(str(given["image"])),
        env,
        network != "none",
        str(workdir) if workdir is not None else None,
        float(str(cpus)) if cpus is not None else None,
        None if memory is None else _bytes(memory),
    )


def _dockerfile(build: Json, *, has_image: bool) -> str | None:
    if build is None:
        return None if has_image else "Dockerfile"
    given = {"context": build} if isinstance(build, str) else dict(_table(build))
    context, dockerfile = given.pop("context", "."), given.pop("dockerfile", "Dockerfile")
    if str(context) not in (".", "./"):
        raise TaskUnsupportedError(f"its image is built in the folder {context!r}")
    if given:
        raise TaskUnsupportedError(f"its image is built with {', '.join(sorted(given))}")
    return str(dockerfile)


def _check_volumes(volumes: Json) -> None:
    """The harness's own are folders for logs; the container has them without being mounted."""
    for one in volumes if isinstance(volumes, Sequence) and not isinstance(volumes, str) else ():
        if not (isinstance(one, str) and one.startswith(f"${{{_HOST}")):
            raise TaskUnsupportedError(f"its service mounts {one!r}")


def _environment(given: Json) -> dict[str, str]:
    if isinstance(given, Mapping):
        pairs = [(name, "" if value is None else str(value)) for name, value in given.items()]
    else:
        listed = given if isinstance(given, Sequence) and not isinstance(given, str) else ()
        pairs = [(name, value) for name, _, value in (str(one).partition("=") for one in listed)]
    return {name: _resolved(value) for name, value in pairs}


def _resolved(text: str) -> str:
    def known(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        if name not in _KNOWN:
            raise TaskUnsupportedError(f"its compose file needs the variable {name}")
        return _KNOWN[name]

    return _VARIABLE.sub(known, text)


def _resources(deploy: Json) -> tuple[Json, Json]:
    limits = _table(_table(_table(deploy).get("resources")).get("limits"))
    return limits.get("cpus"), limits.get("memory")


def _bytes(size: Json) -> int:
    found = _SIZE.fullmatch(str(size).strip())
    if found is None:
        raise TaskUnsupportedError(f"its memory is limited to {size!r}")
    return int(float(found[1]) * _UNITS[found[2].lower()])


def _words(command: Json) -> str:
    return (
        command
        if isinstance(command, str)
        else " ".join(map(str, command))
        if isinstance(command, Sequence)
        else ""
    )


def _table(content: Json) -> Mapping[str, Json]:
    return content if isinstance(content, Mapping) else {}
