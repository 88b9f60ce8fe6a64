"""Who may read the texts of gated benchmarks."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated

from fastapi import Depends, Header, Request

from assay.api.access.actor import CurrentActor
from assay.api.dependencies import Services
from assay.api.endpoint_policy import is_loopback
from assay.api.errors import ProblemError, invalid
from assay.domain.attempt import Attempt
from assay.domain.run import Evaluation
from assay.engine.planning.catalogue import Catalogue
from assay.engine.results.masking import is_masked, masked_attempt

# Behind a proxy on this machine every caller looks local; these headers name the real one.
_FORWARDING = ("forwarded", "x-forwarded-for", "x-real-ip")


@dataclass(frozen=True, slots=True)
class TextAccess:
    """Masks the attempts of gated benchmarks unless an authorized caller asks to reveal them."""

    catalogue: Catalogue
    may_reveal: bool

    def hides(self, evaluation: Evaluation, *, reveal: bool) -> bool:
        """Whether texts of the evaluation are masked; raises for a caller who may not reveal them."""
        if not is_masked(evaluation, self.catalogue):
            return False
        if reveal and not self.may_reveal:
            detail = (
                "texts of gated benchmarks are shown to the operator only:"
                " send the request from the server's own machine, or with X-Admin-Secret"
            )
            raise ProblemError(HTTPStatus.FORBIDDEN, detail, code="reveal-refused")
        return not reveal

    def shown(self, attempt: Attempt, *, is_hidden: bool) -> Attempt:
        return masked_attempt(attempt) if is_hidden else attempt


def require_searchable(search: str | None, *, is_hidden: bool) -> None:
    """A search over masked texts would reveal them."""
    if search is not None and is_hidden:
        raise invalid("search", "the texts of this benchmark are masked; add reveal=true to search them")


async def _access(
    request: Request,
    services: Services,
    actor: CurrentActor,
    _x_admin_secret: Annotated[str | None, Header(alias="X-Admin-Secret")] = None,
) -> TextAccess:
    is_operator = actor.is_admin or (actor.role is not None and _is_local(request))
    return TextAccess(services.catalogue, may_reveal=is_operator)


def _is_local(request: Request) -> bool:
    """Whether the request comes from this machine, under a loopback name."""
    if request.client is None or any(name in request.headers for name in _FORWARDING):
        return False
    return is_loopback(request.client.host) and is_loopback(request.url.hostname or "")


Access = Annotated[TextAccess, Depends(_access)]
