"""Which worked examples stand before a question: drawn as lm-eval draws them, with its default seed."""

from collections.abc import Iterator, Sequence
from random import Random

from assay.domain.benchmark import Row
from assay.domain.errors import InvalidValueError
from assay.engine.one_file.lm_eval.task import FewShot

SEED = 1234


def examples(few_shot: FewShot, pool: Sequence[Row], questions: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """For each question in order; the draws depend on it, so all of them are made."""
    draws = Random(SEED)  # noqa: S311  # a reproducible draw
    for question in questions:
        excluded = question if few_shot.excludes_question else None
        yield (
            _first(few_shot, pool, excluded)
            if few_shot.takes_first
            else _drawn(few_shot, pool, excluded, draws)
        )


def _first(few_shot: FewShot, pool: Sequence[Row], excluded: Row | None) -> Sequence[Row]:
    left = pool if excluded is None else [row for row in pool if row != excluded]
    _require(few_shot, left)
    return left[: few_shot.count]


def _drawn(few_shot: FewShot, pool: Sequence[Row], excluded: Row | None, draws: Random) -> Sequence[Row]:
    if not few_shot.count:
        return ()
    if excluded is None:
        _require(few_shot, pool)
        return draws.sample(pool, few_shot.count)
    _require(few_shot, pool, more=1)
    drawn = [row for row in draws.sample(pool, few_shot.count + 1) if row != excluded][: few_shot.count]
    if len(drawn) == few_shot.count:
        return drawn
    left = [row for row in pool if row != excluded]
    _require(few_shot, left)
    return draws.sample(left, few_shot.count)


def _require(few_shot: FewShot, pool: Sequence[Row], *, more: int = 0) -> None:
    if len(pool) < few_shot.count + more:
        raise InvalidValueError(
            f"num_fewshot is {few_shot.count}, and there are {len(pool)} rows to take examples from"
        )
