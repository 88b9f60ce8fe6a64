"""All backends, preferred ones first."""

from assay.adapters.sandbox.docker.backend import DockerBackend, DockerOptions
from assay.adapters.sandbox.local_backend import LocalBackend, LocalOptions
from assay.adapters.sandbox.sandy.backend import SandyBackend, SandyOptions
from assay.engine.sandbox.selection import Backend


def installed(options: LocalOptions, *, docker: DockerOptions, sandy: SandyOptions) -> list[Backend]:
    """`auto` uses the first that works and isolates well enough."""
    return [
        LocalBackend("bubblewrap", options),
        DockerBackend(docker),
        LocalBackend("landlock", options),
        SandyBackend(sandy),
        LocalBackend("unsafe", options),
    ]
