import socket

from assay.adapters.models.wire.keepalive import probe_peer


def test_a_peer_that_is_gone_without_a_word_is_noticed() -> None:
    with socket.socket() as connected:
        probe_peer(connected)
        assert connected.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        assert connected.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 60
