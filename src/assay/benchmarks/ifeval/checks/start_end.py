from assay.engine.graders.instructions.arguments import Arguments


def end_checker(response: str, arguments: Arguments) -> bool:
    phrase = arguments.text("end_phrase").strip().lower()
    return response.strip().strip('"').lower().endswith(phrase)


def quotation(response: str, _arguments: Arguments) -> bool:
    text = response.strip()
    return len(text) > 1 and text.startswith('"') and text.endswith('"')
