"""How the words of a text are spelt, as numbers of eight characters each."""

from typing import NamedTuple

import numpy as np

from assay.engine.graders.english.code_points import Codes, Runs
from assay.engine.graders.english.flags import Flags, Places
from assay.engine.graders.english.packed import MASKS, PACKED, Numbers

_BEYOND_ASCII = 0x80
_ANY_BEYOND_ASCII = np.uint64(0x8080808080808080)
_SEVEN_OCTETS = MASKS[7]


class Spelling(NamedTuple):
    """The characters of runs of a text: one octet for each, and one and the same for those beyond ASCII."""

    octets: Numbers
    runs: Runs

    def pack(self, number: int, chosen: Places | None = None) -> Numbers:
        """So many times eight characters on, the next eight of each run, or as many as it has."""
        starts, ends = self.runs if chosen is None else self.runs.chosen(chosen)
        starts = np.minimum(starts + number * PACKED, ends) if number else starts
        return self.octets[starts] & MASKS.take(ends - starts, mode="clip")


def spelling(codes: Codes, runs: Runs) -> Spelling:
    octets = np.minimum(codes, _BEYOND_ASCII).astype(np.uint8).tobytes()
    # Zero stands for what lies beyond a run.
    octets = octets.replace(b"\0", bytes([_BEYOND_ASCII])) + bytes(PACKED)
    return Spelling(np.ndarray((len(codes) + 1,), "<u8", octets, strides=(1,)), runs)


def are_full(packs: Numbers) -> Flags:
    """Which have all eight characters, so that there may be more."""
    return packs > _SEVEN_OCTETS


def are_ascii(packs: Numbers) -> Flags:
    return (packs & _ANY_BEYOND_ASCII) == 0


def unpacked(packs: Numbers) -> list[str]:
    """Those that are ASCII, as texts."""
    return [octets.decode("ascii") for octets in packs.view("S8").tolist()]
