"""The installed benchmarks, as responses."""

from collections.abc import Iterable, Mapping
from typing import Literal, Self

from pydantic import Field

from assay.api.schemas.fields import FreeText, Schema
from assay.domain.benchmark import Card, Need
from assay.domain.benchmark_names import aliases_of
from assay.domain.datasets.dataset import DataSet
from assay.engine.datasets.benchmark import dataset_card
from assay.engine.planning.catalogue import Catalogue
from assay.engine.planning.needs_setup import SetupCard
from assay.engine.ports import DataLibrary

_NEEDS = {
    Need.SANDBOX: "a sandbox for untrusted code",
    Need.CONTAINERS: "a container engine",
    Need.JUDGE: "a judging model",
    Need.USER_MODEL: "a model that plays the user",
    Need.TOOLS: "a model that calls tools",
    Need.IMAGES: "a model that reads images",
    Need.AUDIO: "a model that hears audio",
}


class Benchmark(Schema):
    """One benchmark."""

    name: str
    display_name: str
    description: str
    category: str
    is_enabled: bool
    supports_subset: bool
    requires_setup: bool
    setup_notes: str | None
    default_selected: bool
    total_items: int
    avg_item_latency_ms: float | None = Field(
        description="Mean time of an answer in its newest evaluations; null until one has succeeded"
    )
    version: str
    mode: Literal["official", "variant"]
    deviations: tuple[str, ...]
    metric: str
    chance: float
    licence: str
    needs: tuple[Need, ...]
    source: str
    revision: str
    paper: str
    is_gated: bool = Field(description="Whether its data is available only to users who accept its terms")
    is_fetched: bool = Field(description="Whether its official data is on this machine")
    grader: str
    temperature: float | None
    max_tokens: int | None
    judge: str | None = Field(description="The judge that its authors use")
    needs_setup: bool = Field(
        description="Whether it is only listed: it cannot be run before `setup_notes` are followed"
    )
    aliases: tuple[str, ...] = Field(description="Other names that requests may use for it")

    @classmethod
    def of(cls, card: Card, *, is_fetched: bool, latency_ms: float | None) -> Self:
        notes = setup_notes(card)
        return cls(
            name=card.name,
            display_name=card.title,
            description=card.description,
            category=card.category,
            is_enabled=True,
            supports_subset=True,
            requires_setup=bool(notes),
            setup_notes=notes or None,
            default_selected=card.mode == "official",
            total_items=card.size,
            avg_item_latency_ms=latency_ms,
            version=card.version,
            mode=card.mode,
            deviations=card.deviations,
            metric=card.metric,
            chance=card.chance,
            licence=card.licence,
            needs=tuple(sorted(card.needs)),
            source=card.source.page,
            revision=card.source.revision,
            paper=card.paper,
            is_gated=card.source.gated,
            is_fetched=is_fetched,
            grader=card.grader,
            temperature=card.generation.temperature,
            max_tokens=card.generation.max_tokens,
            judge=card.judge.model if card.judge else None,
            needs_setup=False,
            aliases=aliases_of(card.name),
        )

    @classmethod
    def of_setup_card(cls, card: SetupCard) -> Self:
        """What is not known of it is empty."""
        return cls(
            name=card.name,
            display_name=card.title,
            description=card.description,
            category=card.category,
            is_enabled=False,
            supports_subset=card.supports_subset,
            requires_setup=True,
            setup_notes=card.notes,
            default_selected=False,
            total_items=card.size,
            avg_item_latency_ms=None,
            version="",
            mode="official",
            deviations=(),
            metric="",
            chance=0.0,
            licence="",
            needs=(),
            source=card.page,
            revision="",
            paper="",
            is_gated=False,
            is_fetched=False,
            grader="",
            temperature=None,
            max_tokens=None,
            judge=None,
            needs_setup=True,
            aliases=(),
        )

    @classmethod
    def of_dataset(cls, dataset: DataSet, *, latency_ms: float | None) -> Self:
        card = cls.of(dataset_card(dataset), is_fetched=True, latency_ms=latency_ms)
        return card.model_copy(update={"source": f"/admin/datasets/{dataset.id}"})


class BrokenBenchmark(Schema):
    """A benchmark that is installed but failed to load."""

    name: str
    error: FreeText


class BenchmarkList(Schema):
    benchmarks: tuple[Benchmark, ...]
    broken: tuple[BrokenBenchmark, ...]

    @classmethod
    def of(
        cls,
        catalogue: Catalogue,
        library: DataLibrary,
        datasets: Iterable[DataSet],
        latencies_ms: Mapping[str, float],
    ) -> Self:
        return cls(
            benchmarks=(
                *(
                    Benchmark.of(
                        one.card,
                        is_fetched=library.is_fetched(one.card),
                        latency_ms=latencies_ms.get(one.card.name),
                    )
                    for one in catalogue
                ),
                *(Benchmark.of_dataset(one, latency_ms=latencies_ms.get(one.benchmark)) for one in datasets),
                *map(Benchmark.of_setup_card, catalogue.needs_setup.values()),
            ),
            broken=tuple(BrokenBenchmark(name=name, error=error) for name, error in catalogue.broken.items()),
        )


def setup_notes(card: Card) -> str:
    """What a user must provide before the first run; empty if nothing is needed."""
    needed = [f"Needs {_NEEDS[need]}." for need in sorted(card.needs)]
    if card.source.gated:
        needed.append(f"Accept the terms at {card.source.page} and set HF_TOKEN.")
    return " ".join(needed)
