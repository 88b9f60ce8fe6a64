"""The official IFEval verdicts: which instructions of an item a response follows."""

from assay.benchmarks.ifeval import checks
from assay.engine.graders.instructions.following import Rulebook

RULEBOOK = Rulebook(
    "IFEval",
    {
        "change_case:capital_word_frequency": checks.capital_word_frequency,
        "change_case:english_capital": checks.english_capital,
        "change_case:english_lowercase": checks.english_lowercase,
        "combination:repeat_prompt": checks.repeat_prompt,
        "combination:two_responses": checks.two_responses,
        "detectable_content:number_placeholders": checks.number_placeholders,
        "detectable_content:postscript": checks.postscript,
        "detectable_format:constrained_response": checks.constrained_response,
        "detectable_format:json_format": checks.json_format,
        "detectable_format:multiple_sections": checks.multiple_sections,
        "detectable_format:number_bullet_lists": checks.number_bullet_lists,
        "detectable_format:number_highlighted_sections": checks.number_highlighted_sections,
        "detectable_format:title": checks.title,
        "keywords:existence": checks.existence,
        "keywords:forbidden_words": checks.forbidden_words,
        "keywords:frequency": checks.frequency,
        "keywords:letter_frequency": checks.letter_frequency,
        "language:response_language": checks.response_language,
        "length_constraints:nth_paragraph_first_word": checks.nth_paragraph_first_word,
        "length_constraints:number_paragraphs": checks.number_paragraphs,
        "length_constraints:number_sentences": checks.number_sentences,
        "length_constraints:number_words": checks.number_words,
        "punctuation:no_comma": checks.no_comma,
        "startend:end_checker": checks.end_checker,
        "startend:quotation": checks.quotation,
    },
)
