"""The arena: pairs of answers without names, votes on them, and the ranking that follows."""

import asyncio
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query

from assay.api.access.actor import Actor, CurrentActor
from assay.api.dependencies import ApiServices, Services
from assay.api.errors import problems
from assay.api.schemas.fields import BenchmarkName
from assay.api.schemas.results.arena import ArenaLeaderboard, ArenaPair, ArenaStanding, ArenaVote, VoteRequest
from assay.domain.arena import Vote
from assay.engine.arena.pairs import Arena, PairKey
from assay.engine.arena.standings import standings

router = APIRouter(prefix="/api/arena", tags=["comparison"])


@router.get("/pair", responses=problems(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY))
async def show_pair(
    services: Services,
    benchmark: Annotated[
        BenchmarkName | None,
        Query(min_length=1, max_length=500, description="Only answers to items of this benchmark"),
    ] = None,
    model: Annotated[
        list[str],
        Query(max_length=2, description="Only pairs with an answer of this model; of both, if two are given"),
    ] = [],  # noqa: B006 # FastAPI copies it
) -> ArenaPair:
    """Two answers of different models to the same item, drawn from the stored runs; 404 if there are none.

    Pairs that were voted on do not come again, and benchmarks whose texts are masked are left out.
    """
    found = await Arena(services.stores, services.catalogue).draw(benchmark, model)
    return ArenaPair.of(found, services.engine.credentials.vault)


@router.post(
    "/vote",
    status_code=HTTPStatus.CREATED,
    responses=problems(
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.FORBIDDEN,
        HTTPStatus.NOT_FOUND,
        HTTPStatus.CONFLICT,
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        HTTPStatus.UNPROCESSABLE_ENTITY,
    ),
)
async def add_vote(request: VoteRequest, services: Services, actor: CurrentActor) -> ArenaVote:
    """Store a vote and name the models; 409 if this pair has been voted on."""
    vote = await _vote(request, services, actor)
    await services.stores.arena.add(vote)
    return ArenaVote.of(vote)


@router.get("/leaderboard")
async def show_arena_leaderboard(services: Services) -> ArenaLeaderboard:
    """Rank the models by all votes: by Elo, with the ratings of Bradley and Terry beside it."""
    votes = await services.stores.arena.votes()
    # Fitting the ratings takes longer than a request may hold up the others.
    found = await asyncio.to_thread(standings, votes)
    return ArenaLeaderboard(
        leaderboard=tuple(ArenaStanding.of(rank, one) for rank, one in enumerate(found, start=1)),
        total_votes=len(votes),
    )


async def _vote(request: VoteRequest, services: ApiServices, actor: Actor) -> Vote:
    prompt_id, benchmark = request.prompt_id or "", None
    model_a, model_b = request.model_a or "", request.model_b or ""
    if request.pair is not None:
        key = PairKey.read(request.pair, services.engine.credentials.vault)
        found = await Arena(services.stores, services.catalogue).find(key)
        prompt_id, benchmark = found.key.prompt_id, found.benchmark
        model_a, model_b = found.model_a, found.model_b
    return Vote(
        prompt_id=prompt_id,
        winner=request.winner,
        model_a=model_a,
        model_b=model_b,
        created_at=services.clock.now(),
        user_id=request.user_id,
        prompt_hash=request.prompt_hash,
        benchmark=benchmark,
        owner=actor.owner,
    )
