"""What `assay doctor --security` looks at: who can reach this installation, and what protects its secrets."""

import os
import stat
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from dotenv import find_dotenv

from assay.adapters.store.database.url import Location, located
from assay.api.endpoint_policy import is_loopback
from assay.bootstrap import code_sandbox
from assay.cli.actions.doctor.finding import Finding
from assay.domain.access.identity import Role, User
from assay.domain.errors import AssayError
from assay.domain.programs.sandbox import Isolation
from assay.domain.stats import plural
from assay.installation import opened_stores
from assay.settings import Settings

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_LEAST_SECRET = 16
_ENCRYPTED = frozenset({"require", "verify-ca", "verify-full"})


async def examine_security(settings: Settings) -> list[Finding]:
    return [
        _account(),
        *_files(settings),
        _address(settings),
        _requests(settings),
        _admin_secret(settings),
        _origins(settings),
        _database(located(settings.store_url)),
        _secret_key(settings),
        await _users(settings),
        await _sandbox(settings),
    ]


def _account() -> Finding:
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        remedy = "run it as a user of its own: what breaks out of a process of root has the whole machine"
        return Finding("account", "note", "root", remedy)
    return Finding("account", "ok", "not root")


def _files(settings: Settings) -> Iterator[Finding]:
    """The data folder, what is secret in it, and `.env`."""
    home = settings.assay_home
    found = find_dotenv(usecwd=True)
    for what, path in (
        ("data folder", home),
        ("keys", home / "keys"),
        ("database file", home / "assay.db"),
        *(((".env", Path(found)),) if found else ()),
    ):
        if path.exists():
            yield _private(what, path)


def _private(what: str, path: Path) -> Finding:
    open_to = stat.S_IMODE(path.stat().st_mode) & _OTHERS
    if not open_to:
        return Finding(what, "ok", f"{path}, for its owner alone")
    return Finding(what, "failure", f"{path} is open to other users", f"chmod go-rwx {str(path)!r}")


def _address(settings: Settings) -> Finding:
    host, public = settings.assay_host, settings.frontend_url
    if public and urlsplit(public).scheme == "http" and not is_loopback(urlsplit(public).hostname or ""):
        remedy = "put a proxy with a certificate in front, and set FRONTEND_URL to its https address"
        return Finding("address", "failure", f"{public}: keys and cookies can be read on the way", remedy)
    if is_loopback(host):
        login = "with a login or a key" if settings.assay_require_login else "for every user of this machine"
        return Finding("address", "ok", f"{host}, {login}")
    if not public:
        remedy = "if a proxy with a certificate is in front, set FRONTEND_URL to its https address"
        return Finding("address", "note", f"{host}, with a login or a key, without encryption here", remedy)
    return Finding("address", "ok", f"{host} behind {public}, with a login or a key")


def _requests(settings: Settings) -> Finding:
    limit = settings.assay_requests_per_minute
    if limit is not None:
        return Finding("requests", "ok", f"up to {limit} per minute and caller")
    if is_loopback(settings.assay_host) and not settings.assay_require_login:
        return Finding("requests", "ok", "no limit: only users of this machine can ask")
    remedy = "set ASSAY_REQUESTS_PER_MINUTE, so that no caller keeps the API busy alone"
    return Finding("requests", "note", "no limit", remedy)


def _admin_secret(settings: Settings) -> Finding:
    secret = settings.admin_secret
    if secret is None:
        return Finding("ADMIN_SECRET", "ok", "not set: admins are users with that role")
    if len(secret) < _LEAST_SECRET:
        remedy = f"take {_LEAST_SECRET} random characters or more, or unset it and give users the role admin"
        return Finding("ADMIN_SECRET", "failure", f"has only {plural(len(secret), 'character')}", remedy)
    return Finding("ADMIN_SECRET", "ok", "set")


def _origins(settings: Settings) -> Finding:
    plain = [
        one
        for one in settings.cors_origins
        if urlsplit(one).scheme == "http" and not is_loopback(urlsplit(one).hostname or "")
    ]
    if plain:
        remedy = "name https origins: others can change a page on its way"
        return Finding("CORS_ORIGINS", "failure", f"{plain[0]} may use the API with users' cookies", remedy)
    return Finding("CORS_ORIGINS", "ok", ", ".join(settings.cors_origins) or "no other page may use the API")


def _database(location: Location) -> Finding:
    host = location.url.host
    if location.kind == "sqlite" or not host or host.startswith("/") or is_loopback(host):
        return Finding("database", "ok", f"{location}, on this machine")
    mode = location.url.normalized_query.get("sslmode", ("prefer",))[0]
    if mode not in _ENCRYPTED:
        remedy = "add ?sslmode=verify-full to DATABASE_URL"
        return Finding("database", "failure", f"{location}: sslmode {mode} may be without encryption", remedy)
    return Finding("database", "ok", f"{location}, sslmode {mode}")


def _secret_key(settings: Settings) -> Finding:
    if "," in (settings.assay_secret_key or ""):
        remedy = "once `assay keys rotate-secret-key` is done, leave only the first in ASSAY_SECRET_KEY"
        return Finding("key of stored secrets", "note", "ASSAY_SECRET_KEY, with earlier keys", remedy)
    if settings.assay_secret_key:
        return Finding("key of stored secrets", "ok", "ASSAY_SECRET_KEY")
    remedy = "with workers on several machines set ASSAY_SECRET_KEY; else keep the data folder backed up"
    return Finding("key of stored secrets", "note", "a file in the data folder", remedy)


async def _users(settings: Settings) -> Finding:
    try:
        async with opened_stores(settings) as stores:
            return _user_finding(await stores.identity.users(), datetime.now(UTC))
    except AssayError as error:
        return Finding("users", "failure", error.message)


def _user_finding(users: Sequence[User], now: datetime) -> Finding:
    admins = [one.username for one in users if one.role is Role.ADMIN]
    keys = [one for one in users if one.has_key]
    endless = [one.username for one in keys if one.key_expires_at is None]
    ended = [one.username for one in keys if one.key_expires_at is not None and one.key_expires_at <= now]
    state = f"{plural(len(users), 'user')}, admins: {', '.join(admins) or 'none'}"
    if endless:
        state += f"; keys that never expire: {', '.join(endless)}"
        return Finding("users", "note", state, "assay users add NAME --expires-in-days 90")
    if ended:
        state += f"; expired keys: {', '.join(ended)}"
        return Finding("users", "note", state, f"assay users remove {ended[0]}")
    return Finding("users", "ok", state)


async def _sandbox(settings: Settings) -> Finding:
    sandbox = code_sandbox(settings)
    try:
        probe = await sandbox.selected()
    except AssayError:
        return Finding("code of models", "ok", "is not run: no sandbox is strong enough")
    finally:
        await sandbox.close()
    if probe.isolation is Isolation.NONE:
        remedy = "unset ASSAY_SANDBOX and ASSAY_MIN_ISOLATION"
        return Finding("code of models", "failure", "runs with the rights of Assay itself", remedy)
    return Finding("code of models", "ok", f"{probe.backend}, isolation {probe.isolation.label}")
