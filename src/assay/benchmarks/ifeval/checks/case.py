from assay.benchmarks.ifeval.checks.language import reads_as
from assay.engine.graders.english.words import words
from assay.engine.graders.instructions.arguments import Arguments


def capital_word_frequency(response: str, arguments: Arguments) -> bool:
    wanted, relation = arguments.integer("capital_frequency"), arguments.relation("capital_relation")
    return relation(sum(word.isupper() for word in words(response)), wanted)


def english_capital(response: str, _arguments: Arguments) -> bool:
    is_english = reads_as("en")
    return response.isupper() and is_english(response)


def english_lowercase(response: str, _arguments: Arguments) -> bool:
    is_english = reads_as("en")
    return response.islower() and is_english(response)
