"""Access keys, for programs that use the API and cannot sign in."""

import re
import secrets
from datetime import timedelta
from typing import Final

from assay.domain.access.identity import LOCAL_PREFIX, Role, User
from assay.domain.access.secret import Secret
from assay.domain.errors import InvalidValueError
from assay.engine.identity.sign_in import hashed
from assay.engine.ports import Clock
from assay.engine.stores.identity import IdentityStore

KEY_PREFIX: Final = "assay_"
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


async def new_key_user(
    name: str, role: Role, *, store: IdentityStore, clock: Clock, lasts: timedelta | None = None
) -> tuple[User, Secret]:
    """A new user and their key, which is not stored and cannot be shown again.

    Without `lasts` the key does not expire.
    """
    if not _NAME.fullmatch(name):
        raise InvalidValueError(
            f"the name {name!r} must have 1 to 64 of a-z, 0-9, '.', '_' and '-',"
            " and begin with a letter or digit"
        )
    now = clock.now()
    user = User(f"{LOCAL_PREFIX}{name}", name, role, now, None if lasts is None else now + lasts)
    key = Secret(KEY_PREFIX + secrets.token_urlsafe(32))
    await store.add_key_user(user, key_hash=hashed(key.value))
    return user, key
