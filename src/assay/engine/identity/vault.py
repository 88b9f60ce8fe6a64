"""Keys that callers give for their own runs: sealed to be stored, opened where a model is called."""

from typing import NoReturn, Protocol

from assay.domain.errors import ConflictError, UnauthorizedError
from assay.domain.run import Run
from assay.domain.secret import Secret
from assay.engine.stores.secrets import SecretStore


class Vault(Protocol):
    """Everything that is sealed can be opened only where the installation's own key is known."""

    def seal(self, key: Secret) -> bytes: ...

    def unseal(self, sealed: bytes) -> Secret:
        """Raises UnauthorizedError where it was sealed under another key."""
        ...

    def pseudonym(self, key: Secret) -> str:
        """Always the same for the same key; the key cannot be found from it, not even by guessing."""
        ...


class NoVault:
    """For an engine that was given none."""

    def seal(self, key: Secret) -> NoReturn:
        _ = key
        raise ConflictError("keys of callers are not kept here: no vault was set up")

    def unseal(self, sealed: bytes) -> NoReturn:
        _ = sealed
        raise UnauthorizedError("keys of callers are not kept here: no vault was set up")

    def pseudonym(self, key: Secret) -> NoReturn:
        self.seal(key)


class SessionTokens(Protocol):
    """Tokens of users who signed in."""

    async def access_token(self, session_id: str) -> Secret:
        """One that is good for some minutes; raises UnauthorizedError."""
        ...


class NoSessions:
    """For an engine where nobody can sign in."""

    async def access_token(self, session_id: str) -> NoReturn:
        raise UnauthorizedError(
            f"the run uses the token of the login {session_id[:8]!r}, and nobody can sign in here:"
            " give CHUTES_CLIENT_ID the same value wherever the API or a worker runs"
        )


async def own_key(run: Run, *, store: SecretStore, vault: Vault, sessions: SessionTokens) -> Secret | None:
    """The key the run was started with; None where it uses those of the server."""
    if run.spec.credential is None:
        return None
    if run.spec.session_id is not None:
        return await sessions.access_token(run.spec.session_id)
    sealed = await store.sealed_key(run.spec.credential)
    if sealed is None:
        raise UnauthorizedError(f"the key that run {run.id[:8]!r} was started with is no longer kept")
    return vault.unseal(sealed)


def must_still_have_key(run: Run) -> None:
    """A run with a key of its own cannot be opened again once it has ended, and never uses another's key."""
    if run.spec.auth_mode == "api_key" and run.state.is_final:
        raise ConflictError(
            f"run {run.id[:8]!r} was started with a key of the caller's own, which was removed when it ended;"
            " start a new run with POST /api/runs/api"
        )
