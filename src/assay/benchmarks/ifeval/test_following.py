import re
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.benchmarks.ifeval.checks import language
from assay.benchmarks.ifeval.following import RULEBOOK
from assay.domain.errors import DataError, MissingExtraError
from assay.engine.graders.instructions.following import Instruction

Kwargs = dict[str, object]
INSTRUCTION_IDS = RULEBOOK.ids
followed, strict, loose = RULEBOOK.followed, RULEBOOK.strict, RULEBOOK.loose
VALID_KWARGS: dict[str, Kwargs] = {
    "change_case:capital_word_frequency": {"capital_frequency": 2, "capital_relation": "at least"},
    "change_case:english_capital": {},
    "change_case:english_lowercase": {},
    "combination:repeat_prompt": {"prompt_to_repeat": "Name a river."},
    "combination:two_responses": {},
    "detectable_content:number_placeholders": {"num_placeholders": 2},
    "detectable_content:postscript": {"postscript_marker": "P.S."},
    "detectable_format:constrained_response": {},
    "detectable_format:json_format": {},
    "detectable_format:multiple_sections": {"section_spliter": "Stanza", "num_sections": 2},
    "detectable_format:number_bullet_lists": {"num_bullets": 2},
    "detectable_format:number_highlighted_sections": {"num_highlights": 2},
    "detectable_format:title": {},
    "keywords:existence": {"keywords": ["lighthouse", "tide"]},
    "keywords:forbidden_words": {"forbidden_words": ["storm", "sail"]},
    "keywords:frequency": {"keyword": "gull", "frequency": 2, "relation": "at least"},
    "keywords:letter_frequency": {"letter": "Z", "let_frequency": 2, "let_relation": "less than"},
    "language:response_language": {"language": "de"},
    "length_constraints:nth_paragraph_first_word": {
        "num_paragraphs": 2,
        "nth_paragraph": 2,
        "first_word": "Later",
    },
    "length_constraints:number_paragraphs": {"num_paragraphs": 2},
    "length_constraints:number_sentences": {"num_sentences": 2, "relation": "at least"},
    "length_constraints:number_words": {"num_words": 4, "relation": "less than"},
    "punctuation:no_comma": {},
    "startend:end_checker": {"end_phrase": "Fair winds!"},
    "startend:quotation": {},
}

FOLLOWED: list[tuple[str, str]] = [
    ("change_case:capital_word_frequency", "The NASA crew said OK."),
    (
        "change_case:english_capital",
        "WE WILL SAIL WHEN THE WIND TURNS. UNTIL THEN, MEND THE NETS AND KEEP WATCH.",
    ),
    ("change_case:english_lowercase", "the boat left the harbour before the sun came up this morning."),
    ("change_case:english_lowercase", "the keeper wrote down what she saw in the evening, and went to bed."),
    ("combination:repeat_prompt", "  name a RIVER. The Oder."),
    ("combination:two_responses", "The Oder.\n******\nThe Elbe."),
    ("combination:two_responses", "******The Oder.******The Elbe.******"),
    ("detectable_content:number_placeholders", "Dear [name], see you in [town]."),
    ("detectable_content:number_placeholders", "[[x] and []"),
    ("detectable_content:postscript", "Bye.\np. s. Bring a coat"),
    ("detectable_content:postscript", "Bye. Yours, P.S. Bring a coat"),
    ("detectable_format:constrained_response", "Well. My answer is maybe. Or not."),
    ("detectable_format:json_format", '```json\n{"river": "Oder"}\n```'),
    ("detectable_format:json_format", "```JSON```42```"),
    ("detectable_format:json_format", " NaN "),
    ("detectable_format:multiple_sections", "Stanza 1\nfog\nStanza2 sun"),
    ("detectable_format:number_bullet_lists", "Pack:\n* rope\n  - lamp"),
    ("detectable_format:number_bullet_lists", "\n\n \n* rope\n\t\r\n*lamp"),
    ("detectable_format:number_bullet_lists", "*\n- counted by both patterns"),
    ("detectable_format:number_highlighted_sections", "*fog* and *sun*"),
    ("detectable_format:number_highlighted_sections", "*fog*, then **sun**"),
    ("detectable_format:title", "<<A>>\nFog."),
    ("detectable_format:title", "x << The Long Tide >> y"),
    ("keywords:existence", "High TIDE at the Lighthouse."),
    ("keywords:forbidden_words", "Stormy seas; sailors waited."),
    ("keywords:frequency", "Gulls follow gulls."),
    ("keywords:letter_frequency", "One zebra."),
    ("language:response_language", "Das Boot verließ den Hafen, noch bevor die Sonne aufgegangen war."),
    ("language:response_language", "1234 5678"),
    ("length_constraints:nth_paragraph_first_word", "Fog.\n\nLATER, sun."),
    ("length_constraints:nth_paragraph_first_word", "Fog.\n\n'\"later's\" calm."),
    ("length_constraints:number_paragraphs", "Fog.\n***\nSun."),
    ("length_constraints:number_paragraphs", "***\nFog.\n\n***\n\nSun.***"),
    ("length_constraints:number_sentences", "Mr. Vale rowed home. He slept."),
    ("length_constraints:number_words", "well-being, always"),
    ("punctuation:no_comma", "Fog; then sun、 then rain."),
    ("startend:end_checker", 'We parted. "FAIR WINDS!" \n'),
    ("startend:quotation", ' "Fog." \n'),
]

NOT_FOLLOWED: list[tuple[str, str]] = [
    ("change_case:capital_word_frequency", "The NASA crew said Ok."),
    ("change_case:english_capital", "THE BOAT LEFT THE HARBOUR BEFORE THE SUN CAME UP THIS MORNINg."),
    ("change_case:english_capital", "DAS BOOT VERLIESS DEN HAFEN, NOCH BEVOR DIE SONNE AUFGEGANGEN WAR."),
    ("change_case:english_capital", "1234 5678"),
    ("change_case:english_lowercase", "das boot verließ den hafen, noch bevor die sonne aufgegangen war."),
    ("combination:repeat_prompt", "Sure: Name a river. The Oder."),
    ("combination:two_responses", "The Oder.\n******\n The Oder. "),
    ("combination:two_responses", "The Oder.\n******\n******\nThe Elbe."),
    ("combination:two_responses", "A******B******C"),
    ("detectable_content:number_placeholders", "Dear [name], see you in [the\ntown]."),
    ("detectable_content:postscript", "Bye.\nPS: bring a coat"),
    ("detectable_format:constrained_response", "my answer is yes."),
    ("detectable_format:json_format", "Here it is: {}"),
    ("detectable_format:json_format", "```JSON\n{'river': 'Oder'}\n```"),
    ("detectable_format:json_format", "[" * 100_000),
    ("detectable_format:multiple_sections", "Stanza one\nfog\nStanza 2"),
    ("detectable_format:number_bullet_lists", "* rope\n** lamp"),
    ("detectable_format:number_bullet_lists", "*\n* the lone star takes this line"),
    ("detectable_format:number_bullet_lists", "1. rope\n2. lamp"),
    ("detectable_format:number_highlighted_sections", "*fog* and * *"),
    ("detectable_format:number_highlighted_sections", "**fog**"),
    ("detectable_format:title", "<< >>"),
    ("detectable_format:title", "<<Fog\n>>"),
    ("detectable_format:title", "<<>>>"),
    ("keywords:existence", "High tide."),
    ("keywords:forbidden_words", "We SAIL at dawn."),
    ("keywords:frequency", "One gull."),
    ("keywords:letter_frequency", "A Zany zebra."),
    ("language:response_language", "The boat left the harbour before the sun came up this morning."),
    ("length_constraints:nth_paragraph_first_word", "Fog.\n\nLater-on, sun."),
    ("length_constraints:nth_paragraph_first_word", "Fog.\n\n\n\nLater, sun."),
    ("length_constraints:nth_paragraph_first_word", "Fog.\n\nLater.\n\nSun."),
    ("length_constraints:number_paragraphs", "Fog.\n\nSun."),
    ("length_constraints:number_paragraphs", "Fog.\n***\n***\nSun."),
    ("length_constraints:number_sentences", "Mr. Vale rowed home at 5 p.m. yesterday."),
    ("length_constraints:number_words", "well-being comes first"),
    ("punctuation:no_comma", "Fog, then sun."),
    ("startend:end_checker", "Fair winds! Goodbye."),
    ("startend:quotation", '"'),
    ("startend:quotation", "“Fog.”"),
]


def example(instruction_id: str) -> Instruction:
    return Instruction(instruction_id, VALID_KWARGS[instruction_id])


def test_every_official_instruction_is_known_and_has_examples() -> None:
    assert len(INSTRUCTION_IDS) == 25
    assert VALID_KWARGS.keys() == INSTRUCTION_IDS
    assert {instruction_id for instruction_id, _ in FOLLOWED} == INSTRUCTION_IDS
    assert {instruction_id for instruction_id, _ in NOT_FOLLOWED} == INSTRUCTION_IDS


@pytest.mark.parametrize(("instruction_id", "response"), FOLLOWED)
def test_followed(instruction_id: str, response: str) -> None:
    assert followed(example(instruction_id), response)


@pytest.mark.parametrize(("instruction_id", "response"), NOT_FOLLOWED)
def test_not_followed(instruction_id: str, response: str) -> None:
    assert not followed(example(instruction_id), response)


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
    with pytest.raises(MissingExtraError, match=re.escape("assay[ifeval]")):
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


@pytest.mark.parametrize(
    "piece", ["[", "<<", "<<a", "\n", " ", "*", "* \n", "! ", ". ", "'", "a@", "{", "p. "]
)
def test_long_answers_take_linear_time(piece: str) -> None:
    """A quadratic check would need minutes for this length."""
    text = piece * (200_000 // len(piece))
    started_s = time.process_time()
    strict([example(instruction_id) for instruction_id in sorted(INSTRUCTION_IDS)], text)
    assert time.process_time() - started_s < 10
