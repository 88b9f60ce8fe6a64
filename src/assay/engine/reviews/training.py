"""Annotated answers as lines for training models."""

import json
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from enum import StrEnum

from assay.domain.attempt import Attempt
from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Json
from assay.domain.review import Annotation, Label
from assay.domain.run import Evaluation
from assay.engine.reviews.review import newest_labels
from assay.engine.stores.attempts import AttemptStore
from assay.engine.stores.reviews import ReviewStore


class TrainingForm(StrEnum):
    """`chat`: one conversation a line. `preference`: a better and a worse answer to the same conversation."""

    CHAT = "chat"
    PREFERENCE = "preference"


async def training_lines(
    evaluations: Sequence[Evaluation], form: TrainingForm, *, attempts: AttemptStore, reviews: ReviewStore
) -> AsyncIterator[dict[str, Json]]:
    """Golden answers as they are and corrected ones as they should be, in the order of the items.

    The newest label of an attempt counts. A preference sets a correction above the answer it corrects, and a
    golden answer above one that another model got wrong.
    """
    labels = [newest_labels(await reviews.annotations(one.id)) for one in evaluations]
    order = dict.fromkeys(item_id for one in evaluations for item_id in one.item_ids)
    by_item: dict[ItemId, list[tuple[Evaluation, Annotation]]] = defaultdict(list)
    for evaluation, found in zip(evaluations, labels, strict=True):
        for annotation in found.values():
            by_item[annotation.item_id].append((evaluation, annotation))
    for item_id in order:
        labelled = [
            (await attempts.get(evaluation.id, annotation.key), annotation)
            for evaluation, annotation in by_item.get(item_id, [])
        ]
        for line in _LINES[form](labelled):
            yield line


_Labelled = Sequence[tuple[Attempt, Annotation]]


def _chat(labelled: _Labelled) -> list[dict[str, Json]]:
    return [
        {"messages": [*_messages(attempt), _reply(text)]}
        for attempt, annotation in labelled
        if (text := _right_answer(attempt, annotation))
    ]


def _preferences(labelled: _Labelled) -> list[dict[str, Json]]:
    lines = [
        _preference(attempt, better=annotation.note, worse=attempt.answer)
        for attempt, annotation in labelled
        if annotation.label is Label.FIX and annotation.note.strip()
    ]
    golden = [attempt for attempt, annotation in labelled if annotation.label is Label.GOLDEN]
    wrong = [attempt for attempt, annotation in labelled if annotation.label is Label.WRONG]
    lines += [_preference(one, better=one.answer, worse=other.answer) for one in golden for other in wrong]
    return lines


_LINES = {TrainingForm.CHAT: _chat, TrainingForm.PREFERENCE: _preferences}


def _right_answer(attempt: Attempt, annotation: Annotation) -> str:
    if annotation.label is Label.GOLDEN:
        return attempt.answer
    return annotation.note.strip() if annotation.label is Label.FIX else ""


def _preference(attempt: Attempt, *, better: str, worse: str) -> dict[str, Json]:
    return {
        "input": {"messages": _messages(attempt)},
        "preferred_output": [_reply(better)],
        "non_preferred_output": [_reply(worse)],
    }


def _messages(attempt: Attempt) -> list[Json]:
    messages: list[Json] = json.loads(attempt.prompt)
    return messages


def _reply(text: str) -> Json:
    return {"role": "assistant", "content": text}
