from assay.engine.graders.instructions.answer import Answer
from assay.engine.graders.instructions.arguments import Arguments
from assay.engine.graders.instructions.casing import starts_with_lower

_SEPARATOR = "******"
# Two answers, and nothing before the first separator and after the last.
_MOST_PARTS = 4


def two_responses(answer: Answer, _arguments: Arguments) -> bool:
    parts = [part.strip() for part in answer.text.split(_SEPARATOR, _MOST_PARTS)]
    answers = [part for part in parts if part]
    if len(parts) > _MOST_PARTS:
        return False
    return all(parts[1:-1]) and len(answers) == 2 and answers[0] != answers[1]  # noqa: PLR2004 - the name says two


def repeat_prompt(answer: Answer, arguments: Arguments) -> bool:
    prompt = arguments.text("prompt_to_repeat")
    return starts_with_lower(answer.text.strip(), prompt.strip().lower())
