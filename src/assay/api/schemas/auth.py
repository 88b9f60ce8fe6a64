"""Sign-in and the audit log, as responses."""

from typing import Annotated, Literal, Self

from pydantic import Field

from assay.api.schemas.fields import Body, FreeText, Moment, Schema
from assay.domain.access import identity
from assay.domain.access.identity import MAX_KEY_DAYS, Role


class SignedInUser(Schema):
    id: FreeText
    username: FreeText
    role: Role

    @classmethod
    def of(cls, user: identity.User) -> Self:
        return cls(id=user.id, username=user.username, role=user.role)


class SignedIn(Schema):
    """A completed login; the browser keeps the session as a cookie."""

    success: Literal[True] = True
    session_id: str = Field(description="Identifies the session, but does not authenticate")
    user: SignedInUser
    has_invoke_scope: bool
    return_to: FreeText


class Me(Schema):
    authenticated: Literal[True] = True
    user: SignedInUser
    has_invoke_scope: bool
    has_valid_token: bool = Field(description="Whether models can be called with the user's token")


class AuthStatus(Schema):
    idp_configured: bool
    authenticated: bool
    user: SignedInUser | None
    has_invoke_scope: bool
    needs_identity: bool = Field(description="Whether callers must sign in or send an access key")


class UserRequest(Body):
    """A new user with an access key."""

    name: Annotated[str, Field(min_length=1, max_length=64)] = Field(
        description="1 to 64 of a-z, 0-9, '.', '_' and '-', beginning with a letter or digit"
    )
    role: Role = Field(default=Role.RUNNER, strict=False, description="What the holder may do")
    expires_in_days: Annotated[int, Field(ge=1, le=MAX_KEY_DAYS)] | None = Field(
        default=None, description="Days until the key expires; by default it does not"
    )


class KnownUser(SignedInUser):
    created_at: Moment = Field(description="When the user was first known")
    has_key: bool = Field(description="Whether the user has an access key")
    key_expires_at: Moment | None = Field(description="Null if there is no key, or if it does not expire")

    @classmethod
    def of(cls, user: identity.User) -> Self:
        return cls(
            **dict(SignedInUser.of(user)),
            created_at=user.created_at,
            has_key=user.has_key,
            key_expires_at=user.key_expires_at,
        )


class NewUser(KnownUser):
    key: str = Field(description="The access key, which is stored nowhere and not shown again")


class UserList(Schema):
    users: tuple[KnownUser, ...] = Field(description="Everybody who has signed in or has an access key")


class AuditRecord(Schema):
    """`outcome` is `done`, or the code of the problem in the response."""

    at: Moment
    actor: FreeText
    action: FreeText
    target: FreeText
    outcome: FreeText


class AuditPage(Schema):
    entries: tuple[AuditRecord, ...]
    limit: int
    offset: int

    @classmethod
    def of(cls, entries: tuple[identity.AuditEntry, ...], *, limit: int, offset: int) -> Self:
        shown = tuple(
            AuditRecord(at=one.at, actor=one.actor, action=one.action, target=one.target, outcome=one.outcome)
            for one in entries
        )
        return cls(entries=shown, limit=limit, offset=offset)
