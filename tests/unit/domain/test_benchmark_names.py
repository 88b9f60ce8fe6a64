import pytest

from assay.domain.benchmark_names import ALIASES, aliases_of, own_name


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("tau_bench_telecom", "tau2_telecom"),
        (" Tau_Bench_Telecom", "tau2_telecom"),
        ("if-bench:loose", "ifbench:loose"),
        ("mmlu_pro", "mmlu_pro"),
        ("dataset:if_bench", "dataset:if_bench"),
        ("", ""),
    ],
)
def test_other_tools_names_become_ours(given: str, found: str) -> None:
    assert own_name(given) == found


def test_the_aliases_of_a_benchmark_lead_to_it() -> None:
    for name in set(ALIASES.values()):
        assert {own_name(alias) for alias in aliases_of(name)} == {name}
    assert aliases_of("mmlu_pro") == ()
