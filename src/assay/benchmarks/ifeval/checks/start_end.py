from assay.engine.graders.instructions.answer import Answer
from assay.engine.graders.instructions.arguments import Arguments
from assay.engine.graders.instructions.casing import ends_with_lower


def end_checker(answer: Answer, arguments: Arguments) -> bool:
    phrase = arguments.text("end_phrase").strip().lower()
    return ends_with_lower(answer.text.strip().strip('"'), phrase)


def quotation(answer: Answer, _arguments: Arguments) -> bool:
    text = answer.text.strip()
    return len(text) > 1 and text.startswith('"') and text.endswith('"')
