"""A page of item results as a list shows them: filtered, with categories, labels and places that match."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from assay.api.access.text_access import TextAccess
from assay.api.caches import ApiCaches
from assay.api.schemas.items import AttemptFields, ItemPage, ItemQuery, ItemResult, SampleCount, TextMatch
from assay.domain.attempt import Attempt, AttemptKey
from assay.domain.benchmark import ItemId
from assay.domain.review import Label
from assay.domain.run import Evaluation
from assay.engine.results.text_match import first_match
from assay.engine.reviews.review import newest_labels
from assay.engine.stores import Stores
from assay.engine.stores.attempts import AttemptFilter, Span

_BRIEF_CHARACTERS = 300
_Categories = Mapping[ItemId, str]


@dataclass(frozen=True, slots=True)
class ItemList:
    """The items of one evaluation, and what people and the benchmark say of them."""

    stores: Stores
    evaluation: Evaluation
    categories: _Categories
    labels: Mapping[AttemptKey, Label]

    async def page(self, wanted: ItemQuery, access: TextAccess, *, is_hidden: bool) -> ItemPage:
        asked = self._filter(wanted)
        found = await self.stores.attempts.found(self.evaluation.id, asked)
        samples = await self.stores.attempts.samples_of(
            self.evaluation.id, {one.item_id for one in found.attempts}
        )
        return ItemPage(
            items=tuple(
                self._listed(
                    access.shown(one, is_hidden=is_hidden),
                    wanted,
                    SampleCount(made=samples[one.item_id].made, correct=samples[one.item_id].correct),
                )
                for one in found.attempts
            ),
            total=found.total,
            is_total_exact=found.is_total_exact,
            limit=wanted.limit,
            offset=wanted.offset,
        )

    def _filter(self, wanted: ItemQuery) -> AttemptFilter:
        named = {label for label in wanted.label if label != "none"}
        keys = {key for key, label in self.labels.items() if label in named}
        is_unlabelled_too = "none" in wanted.label
        return AttemptFilter(
            outcomes=frozenset(wanted.outcome),
            search=wanted.search,
            sort=wanted.sort,
            limit=wanted.limit,
            offset=wanted.offset,
            items=[one for one, name in self.categories.items() if name in wanted.category]
            if wanted.category
            else None,
            keys=keys if named and not is_unlabelled_too else None,
            without=self.labels.keys() - keys if is_unlabelled_too else (),
            output_tokens=Span(wanted.min_tokens, wanted.max_tokens),
            duration_ms=Span(wanted.min_ms, wanted.max_ms),
            is_one_per_item=wanted.per_item,
        )

    def _listed(self, attempt: Attempt, wanted: ItemQuery, samples: SampleCount) -> ItemResult:
        match = first_match(attempt, wanted.search) if wanted.search else None
        if wanted.brief:
            attempt = replace(
                attempt, prompt="", answer=attempt.answer[:_BRIEF_CHARACTERS], reasoning="", test_code=None
            )
        return ItemResult(
            **dict(AttemptFields.of(attempt)),
            category=self.categories.get(attempt.item_id),
            label=self.labels.get(attempt.key),
            samples=samples,
            match=None if match is None else TextMatch.of(match),
        )


async def item_list(stores: Stores, evaluation: Evaluation, caches: ApiCaches) -> ItemList:
    async def read() -> _Categories:
        return await _categories(stores, evaluation)

    labels = newest_labels(await stores.reviews.annotations(evaluation.id))
    return ItemList(
        stores,
        evaluation,
        # What was recorded of the items when they were asked does not change.
        await caches.categories.get(evaluation.id, read),
        {key: one.label for key, one in labels.items()},
    )


async def _categories(stores: Stores, evaluation: Evaluation) -> _Categories:
    facts = await stores.runs.item_facts(evaluation.id)
    if not any(one.category for one in facts):
        return {}
    whole = next(one for one in await stores.runs.evaluations(evaluation.run_id) if one.id == evaluation.id)
    listed = zip(whole.item_ids, facts, strict=False)
    return {item_id: one.category for item_id, one in listed if one.category is not None}
