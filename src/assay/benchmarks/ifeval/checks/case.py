from itertools import islice

from assay.benchmarks.ifeval.checks.language import reads_as
from assay.engine.graders.english.token_bounds import most_upper_words
from assay.engine.graders.english.words import word_stream
from assay.engine.graders.instructions.answer import Answer
from assay.engine.graders.instructions.arguments import Arguments


def capital_word_frequency(answer: Answer, arguments: Arguments) -> bool:
    wanted, relation = arguments.integer("capital_frequency"), arguments.relation("capital_relation")
    most = sum(answer.facts(most_upper_words))
    if most < wanted:
        return relation(most, wanted)
    return relation(_upper_words(answer, max(wanted, 0)), wanted)


def english_capital(answer: Answer, _arguments: Arguments) -> bool:
    is_english = reads_as("en")
    is_upper = any(answer.facts(str.isupper)) and all(answer.facts(_has_no_lower_case))
    return is_upper and is_english(answer.text)


def english_lowercase(answer: Answer, _arguments: Arguments) -> bool:
    is_english = reads_as("en")
    is_lower = any(answer.facts(str.islower)) and all(answer.facts(_has_no_upper_case))
    return is_lower and is_english(answer.text)


def _upper_words(answer: Answer, most: int) -> int:
    """How many words are in capitals, but no more than asked about."""
    count = 0
    for stretch in answer.stretches():
        count += stretch.fact(_upper_words_in, most)
        if count >= most:
            break
    return count


def _upper_words_in(text: str, most: int) -> int:
    return sum(1 for _ in islice(filter(str.isupper, word_stream(text)), most))


def _has_no_lower_case(text: str) -> bool:
    return f"A{text}".isupper()


def _has_no_upper_case(text: str) -> bool:
    return f"a{text}".islower()
