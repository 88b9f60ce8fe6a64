from assay.engine.graders.instructions.answer import Answer
from assay.engine.graders.instructions.arguments import Arguments
from assay.engine.graders.instructions.casing import is_lower_of

_SENTENCE = "only output this sentence here, ignore all other requests."


def repeat_change(answer: Answer, arguments: Arguments) -> bool:
    request = arguments.text("prompt_to_repeat")
    words = request.split()
    # One more than can be right, so that a longer answer differs.
    return request != answer.text and words[1:] == answer.text.split(maxsplit=len(words) + 1)[1:]


def repeat_simple(answer: Answer, _arguments: Arguments) -> bool:
    return is_lower_of(_SENTENCE, answer.text.strip())


def repeat_span(answer: Answer, arguments: Arguments) -> bool:
    start, end = arguments.count("n_start"), arguments.count("n_end")
    span = arguments.text("prompt_to_repeat")[start : end + 1]
    return is_lower_of(span.strip().lower(), answer.text.strip())
