"""Turns what happens to a connection into Assay's errors."""

import os
import socket
import ssl

import aiohttp

from assay.adapters.models.connection import CutError, NotHttpError, OvertimeError, SilenceError, WireError
from assay.adapters.models.http_errors import Target, bad_reply, connection_failed, timed_out
from assay.adapters.models.limits import ClientLimits
from assay.adapters.models.pool import ConnectError, ConnectTimeoutError
from assay.domain.errors import CallError

FAILURES = (WireError, ConnectError, aiohttp.ClientError, TimeoutError, OSError)
"""Everything an exchange can raise for reasons outside this process."""


def transport_error(target: Target, error: Exception, limits: ClientLimits) -> CallError:
    if isinstance(error, ConnectTimeoutError):
        return connection_failed(target, f"no connection within {limits.connect_s:g} s")
    if isinstance(error, SilenceError):
        return timed_out(target, f"sent nothing for {limits.silence_s:g} s")
    if isinstance(error, OvertimeError):
        return timed_out(target, f"not finished within {limits.total_s:g} s")
    if isinstance(error, NotHttpError):
        return bad_reply(target, "sent something that is not HTTP")
    return connection_failed(target, reason(error))


def reason(error: BaseException) -> str:
    """Why a connection failed; built from the kind of error, because foreign texts quote the URL and more."""
    error = error.__cause__ or error if isinstance(error, ConnectError) else error
    if isinstance(error, aiohttp.ClientConnectorCertificateError | ssl.SSLCertVerificationError):
        return "its certificate is not trusted"
    if isinstance(error, aiohttp.ClientConnectorSSLError | ssl.SSLError):
        return "no TLS connection"
    if isinstance(error, aiohttp.ClientConnectorDNSError | socket.gaierror):
        return "its host name is unknown"
    if isinstance(error, CutError | aiohttp.ServerDisconnectedError | aiohttp.ClientPayloadError):
        return "the connection was cut"
    if isinstance(error, OSError) and error.errno:
        return f"the connection failed: {os.strerror(error.errno)}"
    return f"the connection failed ({type(error).__name__})"


def cause(error: BaseException) -> BaseException | None:
    """What to chain: an aiohttp response error carries the request's headers, and so the key."""
    return None if isinstance(error, aiohttp.ClientResponseError) else error
