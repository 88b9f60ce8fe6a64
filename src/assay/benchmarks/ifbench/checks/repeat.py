from assay.engine.graders.instructions.arguments import Arguments

_SENTENCE = "only output this sentence here, ignore all other requests."


def repeat_change(response: str, arguments: Arguments) -> bool:
    request = arguments.text("prompt_to_repeat")
    return request != response and request.split()[1:] == response.split()[1:]


def repeat_simple(response: str, _arguments: Arguments) -> bool:
    return response.strip().lower() == _SENTENCE


def repeat_span(response: str, arguments: Arguments) -> bool:
    start, end = arguments.count("n_start"), arguments.count("n_end")
    span = arguments.text("prompt_to_repeat")[start : end + 1]
    return response.strip().lower() == span.strip().lower()
