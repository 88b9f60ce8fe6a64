"""Installed benchmarks."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint
from types import ModuleType

import pytest

from assay.domain.benchmark import Benchmark, Card
from assay.domain.errors import NeedsSetupError, UnknownNameError
from assay.engine.planning.catalogue import GROUP, Catalogue
from assay.engine.planning.needs_setup import SETUP_CARDS
from tests.unit.adapters.datasets.capitals import Capitals, capitals_card


def named(name: str) -> Capitals:
    return Capitals(replace(capitals_card(), name=name))


@dataclass(frozen=True)
class Family(Capitals):
    """Capitals with a brief variant."""

    @property
    def variants(self) -> Mapping[str, Benchmark]:
        return {"brief": named(f"{self.card.name}:brief")}


class Faulty:
    @property
    def card(self) -> Card:
        raise ValueError("the card has a hole")


@pytest.fixture
def plugin_module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType("plugin_of_the_tests")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


def plugin(module: ModuleType, name: str, loaded: object) -> EntryPoint:
    setattr(module, name, loaded)
    return EntryPoint(name, f"{module.__name__}:{name}", GROUP)


def test_plugins_and_their_variants_are_found_by_name(plugin_module: ModuleType) -> None:
    family = Family()
    rivers = named("rivers")
    catalogue = Catalogue.installed(
        [plugin(plugin_module, "rivers", rivers), plugin(plugin_module, "capitals", family)]
    )
    assert catalogue.names == ("capitals", "capitals:brief", "rivers")
    assert catalogue.get("capitals") is family
    assert catalogue.get("capitals:brief").card.name == "capitals:brief"
    assert [benchmark.card.name for benchmark in catalogue] == list(catalogue.names)
    assert len(catalogue) == 3
    assert catalogue.broken == {}


def test_an_unknown_name_offers_the_nearest(plugin_module: ModuleType) -> None:
    catalogue = Catalogue.installed([plugin(plugin_module, "capitals", Family())])
    with pytest.raises(UnknownNameError, match="no benchmark 'capital'; did you mean 'capitals'") as caught:
        catalogue.get("capital")
    assert caught.value.nearest[0] == "capitals"
    with pytest.raises(UnknownNameError) as caught:
        catalogue.get("capitals:breif")
    assert caught.value.nearest[0] == "capitals:brief"
    with pytest.raises(UnknownNameError) as caught:
        catalogue.get("zzz")
    assert caught.value.nearest == ()


@pytest.mark.parametrize(
    ("loaded", "fault"),
    [
        ("not a benchmark", "InvalidValueError: 'capitals' is not a benchmark"),
        (named("towns"), "InvalidValueError: the card of 'capitals' calls it 'towns'"),
        (
            Family(replace(capitals_card(), name="towns")),
            "InvalidValueError: the card of 'capitals' calls it",
        ),
        (Faulty(), "ValueError: the card has a hole"),
    ],
)
def test_a_plugin_that_is_no_benchmark_is_broken_and_the_others_stay(
    plugin_module: ModuleType, loaded: object, fault: str
) -> None:
    catalogue = Catalogue.installed(
        [plugin(plugin_module, "capitals", loaded), plugin(plugin_module, "rivers", named("rivers"))]
    )
    assert catalogue.names == ("rivers",)
    assert catalogue.broken["capitals"].startswith(fault)
    with pytest.raises(UnknownNameError, match="installed but broken: "):
        catalogue.get("capitals")
    with pytest.raises(UnknownNameError, match="installed but broken: "):
        catalogue.get("capitals:brief")


@pytest.mark.parametrize("statement", ["import no_such_package_anywhere", "raise SystemExit(3)", "1 / 0"])
def test_a_plugin_that_fails_to_import_is_broken(
    tmp_path_factory: pytest.TempPathFactory, statement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("plugin")
    (folder / "failing_plugin_of_the_tests.py").write_text(statement)
    monkeypatch.syspath_prepend(folder)  # pyright: ignore[reportUnknownMemberType] # pytest leaves it untyped
    catalogue = Catalogue.installed([EntryPoint("failing", "failing_plugin_of_the_tests:benchmark", GROUP)])
    assert catalogue.names == ()
    assert catalogue.broken["failing"]


def test_a_name_that_is_taken_is_reported_and_the_first_stays(plugin_module: ModuleType) -> None:
    first, second = named("capitals"), named("capitals")
    other = ModuleType("other_plugin_of_the_tests")
    sys.modules[other.__name__] = other
    catalogue = Catalogue.installed(
        [plugin(plugin_module, "capitals", first), plugin(other, "capitals", second)]
    )
    del sys.modules[other.__name__]
    assert catalogue.get("capitals") is first
    assert catalogue.broken == {
        "capitals (other_plugin_of_the_tests:capitals)": "InvalidValueError:"
        " another package has a benchmark named 'capitals' already"
    }


def test_the_installed_group_is_read_when_none_is_given() -> None:
    assert isinstance(Catalogue.installed(), Catalogue)


def test_a_benchmark_is_found_by_another_tools_name_and_has_its_own() -> None:
    catalogue = Catalogue({"tau2_telecom": named("tau2_telecom")})
    assert catalogue.get("tau_bench_telecom").card.name == "tau2_telecom"
    with pytest.raises(UnknownNameError, match="'tau2_telecom'"):
        Catalogue({}).get("tau_bench_telecom")


def test_asking_for_a_benchmark_that_needs_setup_says_why_and_what_to_do() -> None:
    for name, card in SETUP_CARDS.items():
        with pytest.raises(NeedsSetupError, match=r"needs setup.*install a package") as caught:
            Catalogue({}, needs_setup=SETUP_CARDS).get(name)
        assert card.reason in caught.value.message


def test_a_package_that_brings_the_benchmark_takes_the_place_of_its_card() -> None:
    catalogue = Catalogue({"critpt": named("critpt")}, needs_setup=SETUP_CARDS)
    assert "critpt" not in catalogue.needs_setup
    assert catalogue.get("critpt").card.name == "critpt"
    installed = Catalogue.installed()
    assert installed.needs_setup.keys() == SETUP_CARDS.keys() - set(installed.names)
