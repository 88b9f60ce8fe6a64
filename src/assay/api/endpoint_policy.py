"""Which base URLs a caller may give."""

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from assay.domain.errors import InvalidValueError

SETTING = "ASSAY_ALLOWED_ENDPOINTS"
LOOPBACK = ("localhost", "127.0.0.1", "::1")


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass(frozen=True, slots=True)
class EndpointPolicy:
    """A base URL from a caller is used only for providers without a key, and only on listed hosts.

    `keyless` names providers that neither need a key nor have one stored here, because a base URL receives
    the key of its provider. Hosts are names, or names with a port (`gpu-3:8000`).
    """

    keyless: frozenset[str] = frozenset()
    hosts: tuple[str, ...] = LOOPBACK

    def require_allowed(self, model: str, base_url: str) -> None:
        prefix = model.partition("/")[0]
        if prefix not in self.keyless:
            allowed = ", ".join(sorted(self.keyless)) or "none configured"
            raise InvalidValueError(
                f"base_url cannot be given for {prefix!r}: the server may hold a key for it, which would be"
                f" sent there; set the address on the server, or use a provider without a key ({allowed})"
            )
        self.require_host(base_url, field="base_url")

    def require_host(self, url: str, *, field: str) -> None:
        """Raise InvalidValueError unless the URL names a listed host."""
        host, shown = _host(url, field)
        if not {host, shown} & set(self.hosts):
            raise InvalidValueError(
                f"{field} names the host {shown!r}, which this server does not send requests to; allowed:"
                f" {', '.join(self.hosts) or 'none'}; the setting {SETTING} on the server lists them"
            )


def _host(url: str, field: str) -> tuple[str, str]:
    """The host, and the host with its port."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise InvalidValueError(f"{field} is not a valid URL") from error
    if parts.scheme not in ("http", "https") or not host:
        raise InvalidValueError(f"{field} must begin with http:// or https:// and name a host")
    if parts.username is not None or parts.password is not None:
        raise InvalidValueError(f"{field} must not contain a user or a password")
    return host, f"{host}:{port}" if port else host
