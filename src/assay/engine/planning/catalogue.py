"""The benchmarks installed here, whichever package they come from."""

from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import cast

from assay.domain.benchmark import Benchmark, Card, HasVariants, MakesVariants
from assay.domain.benchmark_names import own_name
from assay.domain.errors import InvalidValueError, NeedsSetupError, UnknownNameError, nearest_names
from assay.engine.planning.needs_setup import SETUP_CARDS, SetupCard

GROUP = "assay.benchmarks"


class Catalogue:
    """Benchmarks by name, variants as `<name>:<variant>`; `broken` says why a plug-in did not load.

    `needs_setup` are benchmarks that no package here brings.
    """

    def __init__(
        self,
        benchmarks: Mapping[str, Benchmark],
        *,
        broken: Mapping[str, str] | None = None,
        needs_setup: Mapping[str, SetupCard] | None = None,
    ) -> None:
        self._benchmarks = dict(sorted(benchmarks.items()))
        self.broken = dict(sorted((broken or {}).items()))
        present = self._benchmarks.keys() | self.broken.keys()
        self.needs_setup = {
            name: card for name, card in sorted((needs_setup or {}).items()) if name not in present
        }

    @classmethod
    def installed(cls, plugins: Iterable[EntryPoint] | None = None) -> "Catalogue":
        """Load every plug-in; one that fails is listed as broken and does not stop the others."""
        found: dict[str, Benchmark] = {}
        broken: dict[str, str] = {}
        for plugin in entry_points(group=GROUP) if plugins is None else plugins:
            try:
                loaded = _loaded(plugin)
                taken = sorted(found.keys() & loaded.keys())
                if taken:
                    raise InvalidValueError(f"another package has a benchmark named {taken[0]!r} already")  # noqa: TRY301
                found |= loaded
            except (Exception, SystemExit) as error:  # noqa: BLE001 # a plug-in may raise anything
                broken[_label(plugin, found)] = f"{type(error).__name__}: {error}"
        return cls(found, broken=broken, needs_setup=SETUP_CARDS)

    def __iter__(self) -> Iterator[Benchmark]:
        return iter(self._benchmarks.values())

    def __len__(self) -> int:
        return len(self._benchmarks)

    def extended(self, further: Iterable[Benchmark]) -> "Catalogue":
        """A copy with these benchmarks added."""
        benchmarks = {**self._benchmarks, **{one.card.name: one for one in further}}
        return Catalogue(benchmarks, broken=self.broken, needs_setup=self.needs_setup)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._benchmarks)

    def get(self, name: str) -> Benchmark:
        """Also by an alias; raises UnknownNameError, or NeedsSetupError if the benchmark is only listed."""
        if name in self._benchmarks:
            return self._benchmarks[name]
        name = own_name(name)
        if name in self._benchmarks:
            return self._benchmarks[name]
        made = self._made(name)
        if made is not None:
            return made
        fault = self.broken.get(name.partition(":")[0])
        if fault is not None:
            raise UnknownNameError("usable benchmark", name, remedy=f"it is installed but broken: {fault}")
        card = self.needs_setup.get(name.partition(":")[0])
        if card is not None:
            raise NeedsSetupError(card.name, reason=card.reason, remedy=card.remedy)
        nearest = nearest_names(name, [*self._benchmarks, *self.needs_setup])
        raise UnknownNameError("benchmark", name, nearest=nearest, remedy="`assay benchmarks` lists all")

    def _made(self, name: str) -> Benchmark | None:
        family, _, variant = name.partition(":")
        benchmark = self._benchmarks.get(family)
        if not variant or not isinstance(benchmark, MakesVariants):
            return None
        made = benchmark.variant(variant)
        return None if made is None else _checked(made, name)


def _loaded(plugin: EntryPoint) -> dict[str, Benchmark]:
    benchmark = _checked(plugin.load(), plugin.name)
    family = {plugin.name: benchmark}
    if isinstance(benchmark, HasVariants):
        for variant, other in benchmark.variants.items():
            name = f"{plugin.name}:{variant}"
            family[name] = _checked(other, name)
    return family


def _checked(loaded: object, name: str) -> Benchmark:
    card = getattr(loaded, "card", None)
    if not isinstance(card, Card) or not all(
        callable(getattr(loaded, part, None)) for part in ("load", "grade")
    ):
        raise InvalidValueError(f"{name!r} is not a benchmark: it needs a card, load() and grade()")
    if card.name != name:
        raise InvalidValueError(f"the card of {name!r} calls it {card.name!r}; the names must be equal")
    return cast("Benchmark", loaded)  # the parts of the protocol were checked above


def _label(plugin: EntryPoint, found: Mapping[str, Benchmark]) -> str:
    """The plug-in's name, with its package where another benchmark has that name."""
    if plugin.name not in found:
        return plugin.name
    return f"{plugin.name} ({plugin.dist.name if plugin.dist else plugin.value})"
