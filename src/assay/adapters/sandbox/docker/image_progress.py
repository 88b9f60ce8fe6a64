"""Says in the log how far a long fetch or build of an image is."""

import logging
import time
from collections.abc import Mapping

from assay.domain.calls.messages import Json
from assay.domain.programs.sandbox import MIB

EVERY_S = 5.0
_logger = logging.getLogger(__name__)


class ImageProgress:
    """Sums up the engine's messages about single layers; nothing is said of what is done at once."""

    def __init__(self, what: str, *, every_s: float = EVERY_S) -> None:
        self._what = what
        self._every_s = every_s
        self._told_at = time.monotonic()
        self._layers: dict[str, tuple[float, float]] = {}
        self._step = ""

    def add(self, message: Mapping[str, Json]) -> None:
        said, layer, detail = message.get("stream"), message.get("id"), message.get("progressDetail")
        if isinstance(said, str) and said.strip():
            self._step = said.strip().splitlines()[0][:100]
        if isinstance(layer, str) and isinstance(detail, Mapping):
            done, total = detail.get("current"), detail.get("total")
            if message.get("status") == "Downloading" and _are_numbers(done, total):
                self._layers[layer] = float(str(done)), float(str(total))
            elif message.get("status") in ("Download complete", "Pull complete") and layer in self._layers:
                _, total_bytes = self._layers[layer]
                self._layers[layer] = total_bytes, total_bytes
        if time.monotonic() - self._told_at >= self._every_s:
            self._told_at = time.monotonic()
            _logger.info("%s: %s", self._what, self.state)

    @property
    def state(self) -> str:
        if not self._layers:
            return self._step or "waiting for the engine"
        done, total = (sum(one) / MIB for one in zip(*self._layers.values(), strict=True))
        return f"{done:.0f} of {total:.0f} MiB"


def _are_numbers(*values: Json) -> bool:
    return all(isinstance(one, int | float) for one in values)
