"""Every error Assay raises on purpose, by who has to act.

AssayError
├── UsageError                 the caller changes something and tries again
│   ├── InvalidValueError      a value is out of range or of the wrong form
│   ├── UnknownNameError       no such benchmark, model prefix, run, …
│   ├── NeedsSetupError        the benchmark is listed, and no package here brings it
│   ├── DataMissingError       the benchmark's data is not on this machine
│   ├── DataGatedError         the data needs a token or an accepted licence
│   ├── DataChangedError       a file is not the one that was pinned
│   ├── BadRowError            a file holds a line that cannot be used
│   ├── BadDatasetError        a file of the user is not a data set
│   ├── MissingExtraError      an optional dependency is not installed
│   ├── SandboxUnavailableError no sandbox that is strong enough works here
│   ├── IllegalTransitionError a run cannot go from this state to that one
│   ├── ConflictError          the request contradicts what is stored
│   │   └── OffloadedError     the attempts of the run are kept outside of the database
│   ├── NotTheOwnerError       it belongs to another user
│   ├── LimitReachedError      the caller already has as many active runs as allowed
│   └── SignInError            a login with the identity provider failed
│       └── UntrustedLoginError  what the provider sent cannot be verified
├── AttemptError               one attempt ends without a verdict, the run goes on
│   ├── CallError              the endpoint did not give a usable answer
│   │   ├── RateLimitedError · CallTimeoutError · ServerError · ConnectionFailedError
│   │   ├── BadReplyError      the reply does not follow the protocol
│   │   ├── RejectedError      the endpoint refuses this one request
│   │   └── LocalCodeError     a function of the user's program, in place of an endpoint, raised
│   ├── GraderError · SandboxError · DataError
├── EndpointError              nothing sent to this endpoint can succeed: the evaluation stops
│   ├── UnauthorizedError · UnknownModelError · EndpointUnreachableError
│   └── UnsupportedError       the model does not take what the benchmark sends
├── BudgetReachedError         the run pauses
├── SigningKeyMissingError     exports can be verified here and not signed
└── StoreError                 what is stored cannot be read or written: the worker stops
    ├── StoreAwayError         the database cannot be reached: the worker tries again
    │   └── ObjectStoreAwayError   nor can the object store
    ├── StoreFullError         the database has no room left: the run pauses
    └── ObjectStoreError       the object store refuses, or holds what was not stored
"""

import difflib
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import ClassVar

from assay.domain.dataset_report import Report
from assay.domain.json_value import Json

# The name that pip knows; the package that is imported is `assay`.
DISTRIBUTION = "assay-benchmarks"


class AssayError(Exception):
    """Carries one sentence for a person: what failed, on what, and what to do."""

    code: ClassVar[str] = "error"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    @property
    def public_message(self) -> str:
        """The message for those who do not operate the installation."""
        return self.message


class UsageError(AssayError):
    code = "usage"


class InvalidValueError(UsageError):
    code = "invalid-value"


class UnknownNameError(UsageError):
    """Names what was asked for and the nearest names that exist."""

    code = "unknown-name"

    def __init__(self, kind: str, name: str, *, nearest: tuple[str, ...] = (), remedy: str = "") -> None:
        hint = f"; did you mean {' or '.join(map(repr, nearest))}?" if nearest else ""
        advice = f"; {remedy}" if remedy else ""
        super().__init__(f"no {kind} {name!r}{hint}{advice}")
        self.kind = kind
        self.name = name
        self.nearest = nearest


# Endpoints list as many names as they like, and long ones take longest to compare.
_MOST_COMPARED = 2_000
_LONGEST_COMPARED = 100


def nearest_names(name: str, known: Iterable[str], *, most: int = 3, cutoff: float = 0.6) -> tuple[str, ...]:
    """The known names that someone who wrote `name` may have meant, whatever the case and the provider."""
    wanted = name.casefold()
    if len(wanted) > _LONGEST_COMPARED:
        return ()
    by_form: dict[str, str] = {}
    for one in islice((one for one in known if len(one) <= _LONGEST_COMPARED), _MOST_COMPARED):
        by_form.setdefault(one.casefold(), one)
        # Whoever leaves out the part before the slash means the whole name.
        by_form.setdefault(one.casefold().rpartition("/")[2], one)
    found = difflib.get_close_matches(wanted, by_form, n=2 * most, cutoff=cutoff)
    return tuple(dict.fromkeys(by_form[form] for form in found))[:most]


class NeedsSetupError(UsageError):
    """Says why a benchmark that is listed cannot be run, and what to do."""

    code = "needs-setup"

    def __init__(self, name: str, *, reason: str, remedy: str) -> None:
        super().__init__(f"the benchmark {name!r} needs setup. {reason} {remedy}")
        self.name = name


class DataMissingError(UsageError):
    code = "data-missing"


class DataGatedError(UsageError):
    code = "data-gated"


class DataChangedError(UsageError):
    code = "data-changed"


class BadRowError(UsageError):
    """Points at the line of the file that cannot be used."""

    code = "bad-row"

    def __init__(self, where: str, line: int, reason: str) -> None:
        super().__init__(f"{where}, line {line}: {reason}")
        self.where = where
        self.line = line
        self.reason = reason


class BadDatasetError(UsageError):
    """A file of the user that cannot be used; the report says why, line by line."""

    code = "bad-dataset"

    def __init__(self, report: Report) -> None:
        first = report.errors[0]
        where = f"line {first.line}, {first.field}: " if first.line else ""
        others = report.error_count - 1
        more = f" (and {others:,} more)" if others else ""
        super().__init__(f"the file cannot be used: {where}{first.reason}{more}")
        self.report = report


def install_command(extra: str) -> str:
    return f"pip install '{DISTRIBUTION}[{extra}]'"


class MissingExtraError(UsageError):
    """Says which optional dependencies to install."""

    code = "missing-extra"

    def __init__(self, needed_for: str, extra: str) -> None:
        super().__init__(f"{needed_for} needs optional packages; install them with: {install_command(extra)}")


class SandboxUnavailableError(UsageError):
    code = "sandbox-unavailable"


# Something has to be provided before a benchmark can be run.
SETUP_ERRORS = (NeedsSetupError, DataMissingError, DataGatedError, MissingExtraError, SandboxUnavailableError)


class IllegalTransitionError(UsageError):
    code = "illegal-transition"


class ConflictError(UsageError):
    code = "conflict"


class OffloadedError(ConflictError):
    """The attempts of the run are kept outside of the database."""

    code = "offloaded"

    def __init__(self, run_id: str) -> None:
        short = run_id[:8]
        super().__init__(
            f"the items of run {short!r} are offloaded: its scores, comparisons and exports work as before,"
            f" and its items can be seen again after `assay offload --restore {short}`"
        )


class NotTheOwnerError(UsageError):
    """Names what was asked for and the user that it belongs to."""

    code = "not-the-owner"

    def __init__(self, what: str, owner: str) -> None:
        super().__init__(f"{what} belongs to {owner!r}: only its owner or an admin may do this")


class LimitReachedError(UsageError):
    code = "limit-reached"


class SignInError(UsageError):
    code = "sign-in-failed"


class UntrustedLoginError(SignInError):
    code = "sign-in-untrusted"


class AttemptError(AssayError):
    code = "attempt"


class CallError(AttemptError):
    """One HTTP exchange failed; `retry_after_s` is what the endpoint asked for."""

    code = "call"

    def __init__(
        self, message: str, *, status: int | None = None, retry_after_s: float | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after_s = retry_after_s


class RateLimitedError(CallError):
    code = "rate-limited"


class CallTimeoutError(CallError):
    code = "timeout"


class ServerError(CallError):
    code = "server"


class ConnectionFailedError(CallError):
    code = "connection"


class BadReplyError(CallError):
    code = "bad-reply"


class RejectedError(CallError):
    code = "rejected"


class LocalCodeError(CallError):
    """Says what the function raised; it is not called again, as a bug stays one."""

    code = "local-code"


class GraderError(AttemptError):
    """Carries what the grader found before it failed, such as the votes of a panel that is split."""

    code = "grader"

    def __init__(self, message: str, *, details: Mapping[str, Json] | None = None) -> None:
        super().__init__(message)
        self.details = details or {}


class SandboxError(AttemptError):
    code = "sandbox"


class DataError(AttemptError):
    code = "data"


class EndpointError(AssayError):
    code = "endpoint"

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class UnauthorizedError(EndpointError):
    code = "unauthorized"


class UnknownModelError(EndpointError):
    code = "unknown-model"


class UnsupportedError(EndpointError):
    code = "unsupported"


class EndpointUnreachableError(EndpointError):
    code = "unreachable"


class BudgetReachedError(AssayError):
    code = "budget-reached"


class SigningKeyMissingError(AssayError):
    code = "no-signing-key"


class StoreError(AssayError):
    """The message may name the database's host and user, the public one does not."""

    code = "store"
    _public: ClassVar[str] = "the database failed"

    @property
    def public_message(self) -> str:
        return f"{self._public}; the log of the server has the details"


class StoreAwayError(StoreError):
    """The database cannot be reached; temporary, as when a server restarts."""

    code = "store-away"
    _public = "the database cannot be reached"


class StoreFullError(StoreError):
    """The database has no room left; somebody has to free some."""

    code = "store-full"
    _public = "the database cannot grow: its disk is full; free space, then resume"


class ObjectStoreAwayError(StoreAwayError):
    """The object store cannot be reached; temporary, as when a network fails."""

    code = "object-store-away"
    _public = "the object store cannot be reached"


class ObjectStoreError(StoreError):
    """The object store refuses access, or does not hold what it was given."""

    code = "object-store"
    _public = "the object store failed"
