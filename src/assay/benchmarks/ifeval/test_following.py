import re
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.benchmarks.ifeval import language
from assay.benchmarks.ifeval.following import RULEBOOK
from assay.benchmarks.ifeval.test_examples import Kwargs, example
from assay.domain.errors import DataError, MissingExtraError
from assay.engine.graders.instructions.following import Instruction

INSTRUCTION_IDS = RULEBOOK.ids
followed, strict, loose = RULEBOOK.followed, RULEBOOK.strict, RULEBOOK.loose


@pytest.mark.parametrize(
    ("instruction_id", "kwargs", "response", "expected"),
    [
        ("keywords:existence", {"keywords": ["fog|mist"]}, "Only mist.", True),
        ("keywords:existence", {"keywords": ["c.t"]}, "A cut.", True),
        ("keywords:frequency", {"keyword": " a ", "frequency": 3, "relation": "less than"}, "banana", False),
        ("keywords:forbidden_words", {"forbidden_words": ["f.g"]}, "A fig.", False),
        (
            "keywords:letter_frequency",
            {"letter": "#", "let_frequency": 2, "let_relation": "at least"},
            "##",
            True,
        ),
        (
            "keywords:letter_frequency",
            {"letter": " ", "let_frequency": 1, "let_relation": "less than"},
            "a b",
            True,
        ),
        ("detectable_content:postscript", {"postscript_marker": "P.P.S"}, "p. p.spare", True),
        ("detectable_content:postscript", {"postscript_marker": "Note:"}, "A NOTE: fog", True),
        ("detectable_content:number_placeholders", {"num_placeholders": 0}, "none", True),
        (
            "detectable_format:multiple_sections",
            {"section_spliter": "(Sea)", "num_sections": 2},
            "Sea 1",
            True,
        ),
        ("length_constraints:number_words", {"num_words": 1, "relation": "at least"}, "½ ²", False),
        ("length_constraints:number_words", {"num_words": 2.0, "relation": "less than"}, "नमस्ते", True),
        (
            "change_case:capital_word_frequency",
            {"capital_frequency": -1, "capital_relation": "at least"},
            "a",
            True,
        ),
    ],
)
def test_quirks_of_the_official_arguments(
    instruction_id: str, kwargs: Kwargs, response: str, *, expected: bool
) -> None:
    assert followed(Instruction(instruction_id, kwargs), response) is expected


def test_blank_responses_follow_nothing() -> None:
    instructions = [example(instruction_id) for instruction_id in sorted(INSTRUCTION_IDS)]
    for blank in ("", " \n\t", "\n\n"):
        assert not any(strict(instructions, blank))
        assert not any(loose(instructions, blank))


def test_arguments_that_are_none_count_as_absent() -> None:
    kwargs: Kwargs = {"num_bullets": 1, "keywords": None, "relation": None}
    assert followed(Instruction("detectable_format:number_bullet_lists", kwargs), "- rope")


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ('"Fog."', (True, True)),
        ('Here it is:\n"Fog."', (False, True)),
        ('"Fog."\nAnything else?', (False, True)),
        ('Here it is:\n\n"Fog."\n\nAnything else?', (False, True)),
        ('**"Fog."**', (False, True)),
        ('Here it is:\n*"Fog."*\nAnything else?', (False, True)),
        ('One:\nTwo:\n"Fog."', (False, False)),
    ],
)
def test_loose_forgives_stars_and_the_outer_lines(response: str, expected: tuple[bool, bool]) -> None:
    quotation = [Instruction("startend:quotation")]
    assert strict(quotation, response) + loose(quotation, response) == expected


def test_loose_variants_without_outer_lines_are_stripped() -> None:
    kwargs: Kwargs = {"num_paragraphs": 1, "nth_paragraph": 1, "first_word": "fog"}
    opening = [Instruction("length_constraints:nth_paragraph_first_word", kwargs)]
    assert strict(opening, "Weather:\n\n\n\nFog.") == (False,)
    assert loose(opening, "Weather:\n\n\n\nFog.") == (True,)


def test_verdicts_keep_the_order_of_the_instructions() -> None:
    instructions = [Instruction("punctuation:no_comma"), Instruction("startend:quotation")]
    assert strict(instructions, "Fog.") == (True, False)
    assert strict(instructions[::-1], "Fog.") == (False, True)


@pytest.mark.parametrize(
    ("instruction_id", "kwargs"),
    [
        ("punctuation:no_semicolon", {}),
        ("keywords:existence", {}),
        ("keywords:existence", {"keywords": []}),
        ("keywords:existence", {"keywords": "fog"}),
        ("keywords:existence", {"keywords": ["fog", 3]}),
        ("keywords:existence", {"keywords": ["(fog"]}),
        ("keywords:frequency", {"keyword": "fog", "frequency": -1, "relation": "at least"}),
        ("keywords:frequency", {"keyword": "fog", "frequency": True, "relation": "at least"}),
        ("keywords:frequency", {"keyword": "fog", "frequency": 1, "relation": "at most"}),
        ("keywords:frequency", {"keyword": "", "frequency": 1, "relation": "at least"}),
        ("keywords:letter_frequency", {"letter": "ab", "let_frequency": 1, "let_relation": "at least"}),
        ("language:response_language", {"language": "tlh"}),
        ("length_constraints:number_words", {"num_words": 2.5, "relation": "at least"}),
        ("length_constraints:number_words", {"num_words": 2, "relation": None}),
        (
            "length_constraints:nth_paragraph_first_word",
            {"num_paragraphs": 1, "nth_paragraph": 2, "first_word": "x"},
        ),
    ],
)
@pytest.mark.parametrize("response", ["Fog.", ""])
def test_rows_that_cannot_be_checked_are_data_errors(
    instruction_id: str, kwargs: Kwargs, response: str
) -> None:
    with pytest.raises(DataError, match=re.escape(repr(instruction_id))):
        followed(Instruction(instruction_id, kwargs), response)


@pytest.mark.parametrize(
    "instruction_id",
    ["language:response_language", "change_case:english_capital", "change_case:english_lowercase"],
)
def test_a_missing_langdetect_names_the_extra_to_install(
    monkeypatch: pytest.MonkeyPatch, instruction_id: str
) -> None:
    language.detector.cache_clear()
    monkeypatch.setitem(sys.modules, "langdetect", None)
    with pytest.raises(MissingExtraError, match=re.escape("assay-benchmarks[ifeval]")):
        followed(example(instruction_id), "")


@settings(deadline=None)  # the first language check loads the profiles
@given(st.text(), st.sampled_from(sorted(INSTRUCTION_IDS)))
def test_any_text_gets_a_verdict_and_loose_accepts_what_strict_does(text: str, instruction_id: str) -> None:
    instructions = [example(instruction_id)]
    assert strict(instructions, text) <= loose(instructions, text)


MARKS = st.text(alphabet="[]<>*- \t\n\r\x1c\u2028ap.s", max_size=40)


@given(MARKS, st.integers(0, 6))
def test_linear_forms_agree_with_the_official_patterns(text: str, number: int) -> None:
    placeholders = len(re.findall(r"\[.*?\]", text))
    bullets = len(re.findall(r"^\s*\*[^\*].*$", text, flags=re.MULTILINE))
    bullets += len(re.findall(r"^\s*-.*$", text, flags=re.MULTILINE))
    titles = [title.lstrip("<").rstrip(">").strip() for title in re.findall(r"<<[^\n]+>>", text)]
    postscripts = re.findall(r"\s*p\.\s?s\..*$", text, flags=re.MULTILINE)
    official: list[tuple[str, Kwargs, bool]] = [
        ("detectable_content:number_placeholders", {"num_placeholders": number}, placeholders >= number),
        ("detectable_format:number_bullet_lists", {"num_bullets": number}, bullets == number),
        ("detectable_format:title", {}, any(titles)),
        ("detectable_content:postscript", {"postscript_marker": "P.S."}, bool(postscripts)),
    ]
    for instruction_id, kwargs, verdict in official:
        assert followed(Instruction(instruction_id, kwargs), text) is (verdict and bool(text.strip()))
