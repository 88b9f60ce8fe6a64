"""Images that Assay fetched or built, and the room that they take."""

import asyncio
import hashlib
import json
import math
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence

from assay.adapters.sandbox.docker.build_context import write_context
from assay.adapters.sandbox.docker.engine_api import EngineApi
from assay.adapters.sandbox.docker.image_progress import ImageProgress
from assay.adapters.sandbox.docker.machine_image import DEMO_BASE, RELAY_BASE, demo_base, relay_base
from assay.domain.calls.messages import Json
from assay.domain.errors import DataError, SandboxError
from assay.domain.programs.containers import Build, PullProgress

IMAGE_LABEL = "assay.image"
# A fetched image has the label of its maker: a name of our own beside the given one marks it as ours.
_FETCHED = "assay-fetched"
_BUILT = "assay-task"
_PULLING_S = 3600.0
# So long an image is kept for those who have asked for it, whatever the room.
_HANDED_OUT_S = 600.0


class Images:
    """Keeps what it added to the engine within `budget_bytes`, the least recently used leaving first."""

    def __init__(self, api: EngineApi, *, budget_bytes: int) -> None:
        self._api = api
        self._budget_bytes = budget_bytes
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._uses: dict[str, float] = {}

    async def pulled(self, image: str, progress: PullProgress | None) -> str:
        async with self._locks[image]:
            found = await self._id(image)
            if found is None:
                await self.prune()
                name, tag = _name_and_tag(image)
                calls = self._api.progress(
                    "POST", "/images/create", params={"fromImage": name, "tag": tag}, within_s=_PULLING_S
                )
                await _followed(calls, progress, f"fetching the image {image!r}")
                found = await self._id(image)
                if found is None:
                    raise SandboxError(f"the image {image!r} was fetched and is not there")
                own = {"repo": _FETCHED, "tag": _mark(image)}
                await self._api.call("POST", f"/images/{image}/tag", params=own)
            return self._used(found)

    async def built(self, build: Build, progress: PullProgress | None) -> str:
        if await asyncio.to_thread(needs_demo_base, build):
            await self._made(DEMO_BASE, demo_base)
        with tempfile.TemporaryFile() as file:
            digest = await asyncio.to_thread(write_context, build, file)
            tag = f"{_BUILT}:{digest[:32]}"
            async with self._locks[tag]:
                found = await self._id(tag)
                if found is None:
                    await self.prune()
                    params = _build_params(build, tag)
                    calls = self._api.progress(
                        "POST", "/build", params=params, data=file, within_s=build.timeout_s
                    )
                    await _followed(calls, progress, f"building the image of {build.folder.name!r}")
                    found = await self._id(tag)
                    if found is None:
                        raise SandboxError(f"the image of {build.folder.name!r} was built and is not there")
                return self._used(found)

    async def prune(self) -> None:
        """Remove images of our own until the rest fits; one that a container needs stays."""
        kept = await self._own()
        kept.sort(key=lambda one: (self._uses.get(str(one["Id"]), 0), _number(one.get("Created"))))
        total = sum(_number(one.get("Size")) for one in kept)
        for image in kept:
            if total <= self._budget_bytes:
                return
            if self._uses.get(str(image["Id"]), -math.inf) > time.monotonic() - _HANDED_OUT_S:
                # Somebody may be about to start a container of it.
                continue
            total -= _number(image.get("Size")) if await self._removed(image) else 0

    async def _own(self) -> list[Mapping[str, Json]]:
        found: dict[str, Mapping[str, Json]] = {}
        for wanted in ({"label": [IMAGE_LABEL]}, {"reference": [_FETCHED]}):
            listed = await self._api.call("GET", "/images/json", params={"filters": json.dumps(wanted)})
            items = listed.get("items")
            for one in items if isinstance(items, Sequence) else ():
                if isinstance(one, Mapping):
                    found[str(one["Id"])] = one
        return list(found.values())

    async def _removed(self, image: Mapping[str, Json]) -> bool:
        """By each name that Assay gave it or fetched it by, and no other: the image goes with the last name.

        The mark goes last, so that an image which a container keeps in use is still known as ours.
        """
        try:
            # A list by name leaves out the other names.
            found = await self._api.call("GET", f"/images/{image['Id']}/json")
            tags = _texts(found.get("RepoTags"))
            ours = _ours(tags, _texts(found.get("RepoDigests"))) if tags else [str(image["Id"])]
            for name in ours:
                await self._api.call("DELETE", f"/images/{name}")
        except SandboxError:
            return False
        return set(tags) <= set(ours)

    async def relay(self) -> str:
        """The image that the relay of an agent runs in."""
        return await self._made(RELAY_BASE, relay_base)

    async def _made(self, image: str, archive_of: Callable[[], bytes]) -> str:
        """The id of an image made of this machine's programs; it is made if it is not there."""
        async with self._locks[image]:
            found = await self._id(image)
            if found is None:
                # With its tag in the name: Podman leaves out one that is given apart.
                params = {"fromSrc": "-", "repo": image, "changes": f"LABEL {IMAGE_LABEL}=base"}
                archive = await asyncio.to_thread(archive_of)
                await self._api.send("POST", "/images/create", archive, params=params)
                found = await self._id(image)
                if found is None:
                    raise SandboxError(f"the image {image!r} was made and is not there")
            return found

    async def _id(self, image: str) -> str | None:
        try:
            return str((await self._api.call("GET", f"/images/{image}/json"))["Id"])
        except SandboxError as error:
            if ": 404 " in error.message:
                return None
            raise

    def _used(self, image: str) -> str:
        self._uses[image] = time.monotonic()
        return image


def _build_params(build: Build, tag: str) -> dict[str, str]:
    return {
        "t": tag,
        "dockerfile": build.dockerfile,
        "labels": json.dumps({IMAGE_LABEL: "task"}),
        "networkmode": "none" if build.network == "none" else "default",
        "rm": "true",
        "forcerm": "true",
    }


def needs_demo_base(build: Build) -> bool:
    return DEMO_BASE in _dockerfile(build)


def _dockerfile(build: Build) -> str:
    try:
        return (build.folder / build.dockerfile).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise DataError(f"the folder {build.folder.name!r} has no readable {build.dockerfile}") from error


def _name_and_tag(image: str) -> tuple[str, str]:
    """A digest counts as a tag; a colon before the last slash belongs to a port."""
    if "@" in image:
        name, _, digest = image.partition("@")
        return name, digest
    folder, slash, last = image.rpartition("/")
    name, _, tag = last.partition(":")
    return f"{folder}{slash}{name}", tag or "latest"


async def _followed(
    messages: AsyncGenerator[Mapping[str, Json]], progress: PullProgress | None, what: str
) -> None:
    logged = ImageProgress(what)
    async for message in messages:
        logged.add(message)
        said = message.get("stream") or message.get("status")
        if progress is not None and isinstance(said, str) and said.strip():
            done = message.get("progress")
            progress(f"{said.strip()} {done}" if isinstance(done, str) and done else said.strip())


def _ours(tags: Sequence[str], digests: Sequence[str]) -> list[str]:
    marks = [tag for tag in tags if tag.startswith(f"{_FETCHED}:")]
    fetched = {mark.partition(":")[2] for mark in marks}
    return [*(name for name in (*tags, *digests) if _is_given(name) or _mark(name) in fetched), *marks]


def _mark(image: str) -> str:
    """The tag that says by which name an image was fetched; engines leave out Docker Hub's address."""
    name, tag = _name_and_tag(image)
    short = name.removeprefix("docker.io/").removeprefix("library/")
    return hashlib.sha256(f"{short}:{tag}".encode()).hexdigest()[:32]


def _is_given(name: str) -> bool:
    return name == DEMO_BASE or name.startswith(f"{_BUILT}:")


def _texts(value: Json) -> list[str]:
    listed = value if isinstance(value, Sequence) and not isinstance(value, str) else ()
    return [one for one in listed if isinstance(one, str)]


def _number(value: Json) -> int:
    return int(value) if isinstance(value, int | float) else 0
