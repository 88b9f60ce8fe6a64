"""Pairs of answers, votes on them, and the ranking of models by votes."""

from dataclasses import asdict
from typing import Annotated, Self

from pydantic import Field, model_validator

from assay.api.schemas.fields import Body, FreeText, Schema
from assay.domain.arena import Vote, Winner
from assay.engine.arena.pairs import Pair
from assay.engine.arena.standings import Standing
from assay.engine.identity.credentials import Vault

_Name = Annotated[str, Field(min_length=1, max_length=500)]
_Id = Annotated[str, Field(min_length=1, max_length=200)]
_Token = Annotated[str, Field(min_length=1, max_length=4_000)]


class ArenaPair(Schema):
    """Two answers to one item; the models are named when the vote is in."""

    pair: str = Field(description="What a vote sends back")
    prompt_id: str = Field(description="Id of the question with these two answers")
    benchmark: FreeText
    prompt: FreeText = Field(description="The messages that both models were sent, as JSON")
    answer_a: FreeText = Field(description="The first answer")
    answer_b: FreeText = Field(description="The second answer")

    @classmethod
    def of(cls, found: Pair, vault: Vault) -> Self:
        return cls(
            pair=found.key.token(vault),
            prompt_id=found.key.prompt_id,
            benchmark=found.benchmark,
            prompt=found.answer_a.prompt,
            answer_a=found.answer_a.answer,
            answer_b=found.answer_b.answer,
        )


class VoteRequest(Body):
    """Either the `pair` of `GET /api/arena/pair`, or `prompt_id`, `model_a` and `model_b`."""

    winner: Winner = Field(description="Which answer is better")
    pair: _Token | None = Field(default=None, description="As `GET /api/arena/pair` gave it")
    prompt_id: _Id | None = Field(default=None, description="The caller's id of a question with two answers")
    model_a: _Name | None = Field(default=None, description="The model of the first answer")
    model_b: _Name | None = Field(default=None, description="The model of the second answer")
    user_id: _Id | None = Field(default=None, description="Who votes, in the words of the caller")
    prompt_hash: _Id | None = Field(default=None, description="A hash of the question, kept with the vote")

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        named = [self.prompt_id, self.model_a, self.model_b]
        if self.pair is None and None in named:
            raise ValueError("give the pair, or prompt_id, model_a and model_b")
        if self.pair is not None and named != [None, None, None]:
            raise ValueError("give either the pair or prompt_id, model_a and model_b")
        return self


class ArenaVote(Schema):
    """A vote that is stored, with the models it was between."""

    prompt_id: str = Field(description="Id of the question with the two answers")
    winner: Winner = Field(description="Which answer is better")
    model_a: FreeText = Field(description="The model of the first answer")
    model_b: FreeText = Field(description="The model of the second answer")

    @classmethod
    def of(cls, vote: Vote) -> Self:
        return cls(prompt_id=vote.prompt_id, winner=vote.winner, model_a=vote.model_a, model_b=vote.model_b)


class ArenaRating(Schema):
    """By the model of Bradley and Terry, on the scale of Elo, with its 95 % interval."""

    value: float
    low: float
    high: float


class ArenaStanding(Schema):
    rank: int = Field(description="Place by Elo")
    model: FreeText
    elo: float = Field(description="Elo rating over all votes: 1500 at first, K 32")
    rating: ArenaRating | None = Field(
        description="Null for a model that has only won, only lost, or met none of the rated models"
    )
    votes: int = Field(description="Number of votes on answers of the model")
    wins: int = Field(description="Votes for the model")
    losses: int = Field(description="Votes for the other model")
    ties: int = Field(description="Votes for neither")
    both_bad: int = Field(description="Votes that both answers are bad, which move no rating")

    @classmethod
    def of(cls, rank: int, found: Standing) -> Self:
        return cls(
            rank=rank,
            model=found.model,
            elo=found.elo,
            rating=None if found.rating is None else ArenaRating(**asdict(found.rating)),
            votes=found.tally.votes,
            **asdict(found.tally),
        )


class ArenaLeaderboard(Schema):
    leaderboard: tuple[ArenaStanding, ...] = Field(description="The models, by Elo")
    total_votes: int = Field(description="Number of votes")
