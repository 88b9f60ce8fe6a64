"""Maps connection failures to Assay's errors."""

import os
import socket
import ssl

import aiohttp

from assay.adapters.models.connection import (
    CutError,
    NotHttpError,
    SilenceTimeoutError,
    TotalTimeoutError,
    WireError,
)
from assay.adapters.models.http_errors import Target, bad_reply, connection_failed, timed_out
from assay.adapters.models.pool import ConnectError, ConnectTimeoutError
from assay.adapters.models.session import ClientLimits
from assay.domain.errors import CallError

FAILURES = (WireError, ConnectError, aiohttp.ClientError, TimeoutError, OSError)
"""Everything an exchange can raise for reasons outside this process."""


def transport_error(target: Target, error: Exception, limits: ClientLimits) -> CallError:
    if isinstance(error, ConnectTimeoutError):
        return connection_failed(target, f"no connection within {limits.connect_s:g} s")
    if isinstance(error, SilenceTimeoutError):
        return timed_out(target, f"sent nothing for {limits.silence_s:g} s")
    if isinstance(error, TotalTimeoutError):
        return timed_out(target, f"not finished within {limits.total_s:g} s")
    if isinstance(error, NotHttpError):
        return bad_reply(target, "sent something that is not HTTP")
    return connection_failed(target, reason(error))


def reason(error: BaseException) -> str:
    """Why a connection failed; built from the type of the error, since its own text may quote the URL."""
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
    """The exception to chain, or None: an aiohttp response error holds the request's headers and key."""
    return None if isinstance(error, aiohttp.ClientResponseError) else error
