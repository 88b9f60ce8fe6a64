"""Sign-in and the audit log, as responses."""

from typing import Literal, Self

from pydantic import Field

from assay.api.schemas.fields import FreeText, Moment, Schema
from assay.domain import identity
from assay.domain.identity import Role


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
