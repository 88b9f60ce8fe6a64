"""How near an answer is to what was expected, as the vectors of an embedding model say."""

import math
from collections.abc import Mapping, Sequence

from assay.domain.benchmark import Grade, Services
from assay.domain.errors import GraderError
from assay.domain.json_value import Json
from assay.engine.graders.rules.expected import measured, texts_of


async def grade_similarity(
    options: Mapping[str, Json], expected: Json, answer: str, services: Services
) -> Grade:
    """The cosine of the angle to the nearest of the expected texts; below 0 counts as 0."""
    if not answer.strip():
        return measured(0.0, options)
    embed = services.embed
    if embed is None:
        raise GraderError(
            "similarity needs an embedding model, and none is asked where stored answers are checked"
        )
    said, *wanted = await embed(str(options["model"]), [answer, *texts_of(expected)])
    return measured(max(_cosine(said, one) for one in wanted), options)


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    lengths = math.hypot(*one) * math.hypot(*other)
    if lengths == 0:
        raise GraderError("the embedding model gave a vector without a direction")
    return min(1.0, max(0.0, math.fsum(a * b for a, b in zip(one, other, strict=True)) / lengths))
