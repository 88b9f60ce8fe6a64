"""Maps connection failures to Assay's errors."""

import os
import socket
import ssl

from assay.adapters.models.http_errors import Target, bad_reply, connection_failed, timed_out
from assay.adapters.models.session import ClientLimits
from assay.adapters.models.wire.connection import (
    CutError,
    NotHttpError,
    SilenceTimeoutError,
    TooLargeError,
    TotalTimeoutError,
    WireError,
)
from assay.adapters.models.wire.pool import ConnectError, ConnectTimeoutError
from assay.adapters.models.wire.proxy import ProxyError
from assay.domain.errors import CallError

FAILURES = (WireError, ConnectError, TimeoutError, OSError)
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
    if isinstance(error, TooLargeError):
        return bad_reply(target, f"sent more than {limits.max_reply_bytes} bytes, or too many headers")
    return connection_failed(target, reason(error))


def reason(error: BaseException) -> str:
    """Why a connection failed; built from the type of the error, since its own text may quote the URL."""
    if isinstance(error, ConnectError) and not isinstance(error, ConnectTimeoutError):
        error = error.__cause__ or error
    for kind, why in _REASONS:
        if isinstance(error, kind):
            return why
    if isinstance(error, OSError) and error.errno:
        return f"the connection failed: {os.strerror(error.errno)}"
    return f"the connection failed ({type(error).__name__})"


_REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (ssl.SSLCertVerificationError, "its certificate is not trusted"),
    (ssl.SSLError, "no TLS connection"),
    (socket.gaierror, "its host name is unknown"),
    (ProxyError, "the proxy refuses the connection"),
    (CutError, "the connection was cut"),
    (NotHttpError, "it sends something that is not HTTP"),
    (TooLargeError, "it sends more bytes than allowed"),
    (ConnectTimeoutError, "no connection in time"),
    (TotalTimeoutError, "no answer in time"),
)
