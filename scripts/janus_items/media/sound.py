"""Recordings of tones as WAV files, in whole numbers only."""

import base64
import struct

_RATE = 8000
_LOUD = 100
Tone = tuple[int, int]
"""Pitch in hertz (0 for silence) and duration in milliseconds."""


def recording(tones: list[Tone]) -> dict[str, str]:
    """As the `audio` of a task."""
    samples: list[int] = []
    for hertz, milliseconds in tones:
        count = _RATE * milliseconds // 1000
        samples += [_sample(hertz, at, count) for at in range(count)]
    # One byte for each sample, 128 for silence.
    data = bytes(128 + sample for sample in samples) + bytes(len(samples) % 2)
    header = b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, _RATE, _RATE, 1, 8)
    body = header + b"data" + struct.pack("<I", len(data)) + data
    wave = b"RIFF" + struct.pack("<I", len(body)) + body
    return {"data": base64.b64encode(wave).decode(), "format": "wav"}


def _sample(hertz: int, at: int, count: int) -> int:
    """A triangle wave, which fades in and out so that it does not click."""
    if hertz == 0:
        return 0
    phase = at * hertz % _RATE * 4
    height = phase - _RATE if phase < 2 * _RATE else 3 * _RATE - phase
    fade = min(at, count - 1 - at, 80)
    return _LOUD * height // _RATE * fade // 80
