"""A registry with one small image, which an engine fetches over HTTP from this machine."""

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from random import Random

from aiohttp import web

NAME = "things/one"
_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
_CONFIG = "application/vnd.docker.container.image.v1+json"
_LAYER = "application/vnd.docker.image.rootfs.diff.tar.gzip"


@asynccontextmanager
async def running_registry() -> AsyncGenerator[str]:
    """The host and port, as they begin the image's name."""
    layer = _layer()
    config = json.dumps(
        {
            "architecture": "amd64",
            "os": "linux",
            "config": {},
            "rootfs": {"type": "layers", "diff_ids": [_digest(gzip.decompress(layer))]},
            "history": [],
        }
    ).encode()
    manifest = json.dumps(
        {
            "schemaVersion": 2,
            "mediaType": _MANIFEST,
            "config": {"mediaType": _CONFIG, "size": len(config), "digest": _digest(config)},
            "layers": [{"mediaType": _LAYER, "size": len(layer), "digest": _digest(layer)}],
        }
    ).encode()
    blobs = {_digest(one): one for one in (layer, config)}

    async def base(request: web.Request) -> web.Response:
        del request
        return web.json_response({})

    async def send_manifest(request: web.Request) -> web.Response:
        del request
        headers = {"Docker-Content-Digest": _digest(manifest)}
        return web.Response(body=manifest, content_type=_MANIFEST, headers=headers)

    async def send_blob(request: web.Request) -> web.Response:
        return web.Response(body=blobs[request.match_info["digest"]], content_type="application/octet-stream")

    app = web.Application()
    app.add_routes(
        [
            web.get("/v2/", base),
            web.get(f"/v2/{NAME}/manifests/{{tag}}", send_manifest),
            web.get(f"/v2/{NAME}/blobs/{{digest}}", send_blob),
        ]
    )
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


def _layer() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        content = Random(1).randbytes(1 << 20)  # noqa: S311 # only hard to compress
        entry = tarfile.TarInfo("thing")
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return gzip.compress(buffer.getvalue(), mtime=0)


def _digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"
