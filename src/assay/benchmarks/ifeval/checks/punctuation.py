from assay.engine.graders.instructions.answer import Answer
from assay.engine.graders.instructions.arguments import Arguments


def no_comma(answer: Answer, _arguments: Arguments) -> bool:
    return "," not in answer.text
