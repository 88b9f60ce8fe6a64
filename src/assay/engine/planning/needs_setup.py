"""Benchmarks that are listed and cannot be run until a package brings them."""

from collections.abc import Mapping
from dataclasses import dataclass

_AFFINE = "Affine Environments"
_CORE = "Core Benchmarks"


@dataclass(frozen=True, slots=True)
class SetupCard:
    """What is known of a benchmark that Assay does not bring, and why it does not; `size` in items."""

    name: str
    title: str
    description: str
    category: str
    size: int
    page: str
    reason: str
    supports_subset: bool = True

    @property
    def notes(self) -> str:
        return f"{self.reason} {self.remedy}"

    @property
    def remedy(self) -> str:
        return (
            f"To run it, install a package that brings a benchmark named {self.name!r}"
            " (docs/how-to/write-a-benchmark.md)."
        )


def _affine(name: str, title: str, description: str, size: int) -> SetupCard:
    return SetupCard(
        f"affine_{name}",
        f"Affine {title}",
        f"Environment of the Affine project: {description}.",
        _AFFINE,
        size,
        "https://github.com/AffineFoundation",
        "It exists only as a container image of its makers that calls the model itself and has to be given"
        " the API key and the Hugging Face token; Assay puts no key into a container.",
    )


_CARDS = (
    SetupCard(
        "aa_omniscience",
        "AA-Omniscience",
        "Questions on facts in many fields; wrong answers cost points, and abstaining costs none.",
        _CORE,
        600,
        "https://huggingface.co/datasets/ArtificialAnalysis/AA-Omniscience-Public",
        "A judge grades it by its authors' rubric as correct, partly correct, incorrect or not attempted, and"
        " the rubric has not been reproduced here against verdicts of its authors.",
    ),
    SetupCard(
        "critpt",
        "CritPt",
        "Research problems in physics whose answers are programs and formulas.",
        _CORE,
        70,
        "https://huggingface.co/datasets/CritPt-Benchmark/CritPt",
        "The answers are not published: only its authors' evaluation server, with a key from them, gives a"
        " score, for all problems together and not for single items.",
        supports_subset=False,
    ),
    SetupCard(
        "gdpval_aa",
        "GDPval-AA",
        "Tasks of occupations whose results are documents, sheets and slides.",
        _CORE,
        220,
        "https://huggingface.co/datasets/openai/gdpval",
        "Its verdicts compare whole documents, made by an agent with office tools, and no published grader"
        " gives the authors' verdict.",
    ),
    _affine("abd", "ABD", "inputs of a program to infer from its output", 23_300),
    _affine("cde", "CDE", "code to write", 8_600),
    _affine("ded", "DED", "programs to deduce", 23_300),
    _affine("game", "GAME", "board and card games against an opponent", 7_300),
    _affine("lgc", "LGC", "puzzles of logic", 1_100_000),
    _affine("lgc_v2", "LGC-V2", "puzzles of logic, second version", 10_600),
    _affine("print", "PRINT", "output of programs to predict", 11_000),
    _affine("swe_pro", "SWE-PRO", "repositories to mend; Assay's swe_bench_pro has the same tasks", 731),
)

SETUP_CARDS: Mapping[str, SetupCard] = {card.name: card for card in _CARDS}
