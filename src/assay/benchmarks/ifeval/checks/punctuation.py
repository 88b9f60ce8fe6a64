from assay.engine.graders.instructions.arguments import Arguments


def no_comma(response: str, _arguments: Arguments) -> bool:
    return "," not in response
