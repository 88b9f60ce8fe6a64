"""Keys that callers give for their own runs: sealed to be stored, opened where a model is called."""

from dataclasses import dataclass, field
from typing import NoReturn, Protocol

from assay.domain.access.secret import LoginToken, Secret
from assay.domain.errors import ConflictError, UnauthorizedError
from assay.domain.run import Run
from assay.engine.stores.secrets import SecretStore


class Vault(Protocol):
    """Everything that is sealed can be opened only where the installation's own key is known."""

    def seal(self, key: Secret) -> bytes: ...

    def unseal(self, sealed: bytes) -> Secret:
        """Raises UnauthorizedError where it was sealed under another key."""
        ...

    def pseudonym(self, key: Secret) -> str:
        """The same for the same key; the key cannot be derived from it, not even by guessing."""
        ...

    def pseudonyms(self, key: Secret) -> tuple[str, ...]:
        """The pseudonym, then those under earlier keys of the installation that are still accepted."""
        ...


class NoVault:
    """Used where no vault is set up."""

    def seal(self, key: Secret) -> NoReturn:
        _ = key
        raise ConflictError("keys of callers are not kept here: no vault was set up")

    def unseal(self, sealed: bytes) -> NoReturn:
        _ = sealed
        raise UnauthorizedError("keys of callers are not kept here: no vault was set up")

    def pseudonym(self, key: Secret) -> NoReturn:
        self.seal(key)

    def pseudonyms(self, key: Secret) -> NoReturn:
        self.seal(key)


class SessionTokens(Protocol):
    """Tokens of users who signed in."""

    async def access_token(self, session_id: str) -> LoginToken:
        """A token that is valid for some minutes; raises UnauthorizedError."""
        ...


class NoSessions:
    """Used where nobody can sign in."""

    async def access_token(self, session_id: str) -> NoReturn:
        raise UnauthorizedError(
            f"the run uses the token of the login {session_id[:8]!r}, and nobody can sign in here:"
            " give CHUTES_CLIENT_ID the same value wherever the API or a worker runs"
        )


@dataclass(frozen=True, slots=True)
class Credentials:
    """The keys that callers give for their own runs."""

    secrets: SecretStore
    vault: Vault = field(default_factory=NoVault)
    sessions: SessionTokens = field(default_factory=NoSessions)

    async def own_key(self, run: Run) -> Secret | None:
        """The key that the run was started with, or None if it uses the keys of the server."""
        if run.spec.credential is None:
            return None
        if run.spec.session_id is not None:
            return await self.sessions.access_token(run.spec.session_id)
        sealed = await self.secrets.get(run.spec.credential)
        if sealed is None:
            raise UnauthorizedError(f"the key that run {run.id[:8]!r} was started with is no longer kept")
        return self.vault.unseal(sealed)


def require_own_key(run: Run) -> None:
    """Raise ConflictError if the run had a key of its own, which is removed when a run ends."""
    if run.spec.auth_mode == "api_key" and run.state.is_final:
        raise ConflictError(
            f"run {run.id[:8]!r} was started with a key of the caller's own, which was removed when it ended;"
            " start a new run with POST /api/runs/api"
        )
