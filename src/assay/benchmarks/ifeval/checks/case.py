from assay.benchmarks.ifeval.checks.language import reads_as
from assay.engine.graders.english.word_kinds import CAPITALS
from assay.engine.graders.instructions.answer import Answer
from assay.engine.graders.instructions.arguments import Arguments
from assay.engine.graders.instructions.word_counts import has_words


def capital_word_frequency(answer: Answer, arguments: Arguments) -> bool:
    wanted, relation = arguments.integer("capital_frequency"), arguments.relation("capital_relation")
    return relation(wanted if has_words(answer, CAPITALS, wanted) else wanted - 1, wanted)


def english_capital(answer: Answer, _arguments: Arguments) -> bool:
    is_english = reads_as("en")
    is_upper = any(answer.facts(str.isupper)) and all(answer.facts(_has_no_lower_case))
    return is_upper and is_english(answer.text)


def english_lowercase(answer: Answer, _arguments: Arguments) -> bool:
    is_english = reads_as("en")
    is_lower = any(answer.facts(str.islower)) and all(answer.facts(_has_no_upper_case))
    return is_lower and is_english(answer.text)


def _has_no_lower_case(text: str) -> bool:
    return f"A{text}".isupper()


def _has_no_upper_case(text: str) -> bool:
    return f"a{text}".islower()
