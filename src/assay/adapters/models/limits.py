"""How long and how much the client waits for."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """`silence_s` ends a stream that sends no byte for so long; a reply in one piece has only `total_s`."""

    connect_s: float = 15.0
    silence_s: float = 300.0
    total_s: float = 1_800.0
    check_s: float = 15.0
    max_reply_bytes: int = 32 * 1024 * 1024
