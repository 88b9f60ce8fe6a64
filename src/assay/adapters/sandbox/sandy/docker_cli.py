"""Docker's command line, as it is used inside a remote sandbox that was given the engine's socket."""

import shlex
from collections.abc import Mapping, Sequence

from assay.adapters.sandbox.docker.task_container import OOM_COUNTS
from assay.domain.programs.containers import Build, ContainerSpec

LABEL = "assay.sandy"
IMAGE_LABEL = "assay.image"
# Written when the files of the container have grown beyond their limit.
_FULL = "/tmp/assay-full"  # noqa: S108 # in the remote sandbox
_LOOK_S = 2
FULL, GONE = "full", "gone"
# Whether the engine can enforce what it is asked for.
CHECK = (
    "docker version -f '{{.Server.Version}}' && docker info -f"
    " '{{.MemoryLimit}} {{.SwapLimit}} {{.PidsLimit}} {{.CPUCfsQuota}} {{.NCPU}}'"
)
ABANDONED = (
    f"docker ps -a --no-trunc --filter label={LABEL} --format '{{{{.ID}}}} {{{{.Label \"{LABEL}\"}}}}'"
)


def image_id(image: str) -> str:
    """Prints nothing if the image is not there."""
    return f"docker image inspect -f '{{{{.Id}}}}' {shlex.quote(image)} 2> /dev/null || true"


def pull(image: str) -> str:
    return f"docker pull --quiet {shlex.quote(image)}"


def build(build: Build, tag: str) -> str:
    """Reads the folder as an archive."""
    network = "none" if build.network == "none" else "default"
    options = [
        *("--quiet", "--force-rm", "--tag", tag, "--label", f"{IMAGE_LABEL}=task"),
        *("--network", network, "--file", build.dockerfile),
    ]
    return f"docker build {shlex.join(options)} -"


def load_base(name: str) -> str:
    """Reads an archive with the files of an image."""
    return f"docker import --change {shlex.quote(f'LABEL {IMAGE_LABEL}=base')} - {name}"


def start(name: str, spec: ContainerSpec, image: str, *, owner: str, processors: float) -> str:
    """A container that only sleeps; a second start of the same name changes nothing."""
    limits = spec.limits
    options = [
        *("--detach", "--rm", "--init", "--name", name, "--label", f"{LABEL}={owner}"),
        *("--network", "none" if spec.network == "none" else "bridge", "--hostname", spec.hostname),
        *("--cpus", f"{min(limits.cpus, processors):g}", "--pids-limit", str(limits.processes)),
        *("--memory", str(limits.memory_bytes), "--memory-swap", str(limits.memory_bytes)),
        *("--ulimit", "core=0", "--entrypoint", "sleep"),
        *(() if spec.workdir is None else ("--workdir", spec.workdir)),
        *(word for key, value in spec.env.items() for word in ("--env", f"{key}={value}")),
    ]
    started = f"docker inspect {name} > /dev/null 2>&1"
    return f"{started} || docker run {shlex.join([*options, image, str(limits.lifetime_s)])}"


def command(
    name: str, argv: Sequence[str], *, cwd: str | None, env: Mapping[str, str], is_root: bool
) -> list[str]:
    return [
        *("docker", "exec", "--interactive"),
        *(("--user", "0:0") if is_root else ()),
        *(() if cwd is None else ("--workdir", cwd)),
        *(word for key, value in env.items() for word in ("--env", f"{key}={value}")),
        *(name, *argv),
    ]


def watch_disk(name: str, disk_bytes: int) -> str:
    """Ends the container once it has written more than its limit; runs beside a program."""
    size = f"docker inspect -s -f '{{{{.SizeRw}}}}' {name}"
    end = f": > {_FULL}; docker rm -f -v {name}; exit"
    return (
        f'while size=$({size}); do [ "${{size:-0}}" -gt {disk_bytes} ] && {{ {end}; }}; sleep {_LOOK_S}; done'
    )


def state(name: str) -> str:
    """Prints `full`, `gone`, or whether memory ran out and the number of processes."""
    inspect = f"docker inspect -f '{{{{.State.Running}}}} {{{{.State.OOMKilled}}}}' {name}"
    return (
        f'[ -e {_FULL} ] && {{ echo {FULL}; exit 0; }}; found=$({inspect} 2>&1) || {{ case "$found" in'
        f' *[Nn]o\\ such*) echo {GONE}; exit 0;; esac; echo "$found" >&2; exit 1; }};'
        f' case "$found" in true*) ;; *) echo {GONE}; exit 0;; esac;'
        f' echo "${{found#* }} $(docker top {name} -eLo pid | tail -n +2 | wc -l)"'
        f" \"$(docker exec {name} cat {' '.join(OOM_COUNTS)} 2> /dev/null | grep '^oom_kill ')\""
    )


def put(name: str) -> str:
    """Reads an archive with paths from the root."""
    return f"docker cp - {name}:/"


def get(name: str, folder: str, archive: str, most_bytes: int) -> str:
    """Writes an archive of a folder, cut at a size; an empty one if there is no such folder or container."""
    source = shlex.quote(f"{name}:{folder}")
    return (
        f"docker cp {source} - 2> {archive}.err | head -c {most_bytes} > {archive}; [ -s {archive} ] ||"
        f' case "$(cat {archive}.err)" in *[Nn]o\\ such*|*"not find"*|*"not exist"*) ;;'
        f" *) cat {archive}.err >&2; exit 1;; esac"
    )


def remove(names: Sequence[str]) -> str:
    return f"docker rm -f -v {shlex.join(names)} > /dev/null"
