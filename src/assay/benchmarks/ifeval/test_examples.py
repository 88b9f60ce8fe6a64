"""Answers that follow each instruction and answers that do not."""

import pytest

from assay.benchmarks.ifeval.following import RULEBOOK
from assay.engine.graders.instructions.following import Instruction

Kwargs = dict[str, object]
followed = RULEBOOK.followed
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
    assert len(RULEBOOK.ids) == 25
    assert VALID_KWARGS.keys() == RULEBOOK.ids
    assert {instruction_id for instruction_id, _ in FOLLOWED} == RULEBOOK.ids
    assert {instruction_id for instruction_id, _ in NOT_FOLLOWED} == RULEBOOK.ids


@pytest.mark.parametrize(("instruction_id", "response"), FOLLOWED)
def test_followed(instruction_id: str, response: str) -> None:
    assert followed(example(instruction_id), response)


@pytest.mark.parametrize(("instruction_id", "response"), NOT_FOLLOWED)
def test_not_followed(instruction_id: str, response: str) -> None:
    assert not followed(example(instruction_id), response)
