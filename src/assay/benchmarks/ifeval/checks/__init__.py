"""One function per official instruction id: does the response follow it with these arguments?"""

from collections.abc import Mapping

from assay.benchmarks.ifeval.checks import (
    case,
    combination,
    content,
    format,  # noqa: A004 - the official group is called so
    keywords,
    language,
    length,
    punctuation,
    start_end,
)
from assay.engine.graders.instructions.arguments import Check

CHECKS: Mapping[str, Check] = {
    "change_case:capital_word_frequency": case.capital_word_frequency,
    "change_case:english_capital": case.english_capital,
    "change_case:english_lowercase": case.english_lowercase,
    "combination:repeat_prompt": combination.repeat_prompt,
    "combination:two_responses": combination.two_responses,
    "detectable_content:number_placeholders": content.number_placeholders,
    "detectable_content:postscript": content.postscript,
    "detectable_format:constrained_response": format.constrained_response,
    "detectable_format:json_format": format.json_format,
    "detectable_format:multiple_sections": format.multiple_sections,
    "detectable_format:number_bullet_lists": format.number_bullet_lists,
    "detectable_format:number_highlighted_sections": format.number_highlighted_sections,
    "detectable_format:title": format.title,
    "keywords:existence": keywords.existence,
    "keywords:forbidden_words": keywords.forbidden_words,
    "keywords:frequency": keywords.frequency,
    "keywords:letter_frequency": keywords.letter_frequency,
    "language:response_language": language.response_language,
    "length_constraints:nth_paragraph_first_word": length.nth_paragraph_first_word,
    "length_constraints:number_paragraphs": length.number_paragraphs,
    "length_constraints:number_sentences": length.number_sentences,
    "length_constraints:number_words": length.number_words,
    "punctuation:no_comma": punctuation.no_comma,
    "startend:end_checker": start_end.end_checker,
    "startend:quotation": start_end.quotation,
}
