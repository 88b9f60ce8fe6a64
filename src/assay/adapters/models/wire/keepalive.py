"""TCP keepalive, by which the system finds out that the other end of a connection is gone."""

import socket

# A peer that is gone without a word is noticed after two minutes, where the system has these options.
_PROBES = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 15, "TCP_KEEPCNT": 4}


def probe_peer(opened: socket.socket) -> None:
    """Enable keepalive on a connection, or on a listener for all connections that it accepts."""
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _PROBES.items():
        if option := getattr(socket, name, None):
            opened.setsockopt(socket.IPPROTO_TCP, option, value)
