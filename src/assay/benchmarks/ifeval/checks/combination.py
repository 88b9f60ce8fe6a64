from assay.engine.graders.instructions.arguments import Arguments


def two_responses(response: str, _arguments: Arguments) -> bool:
    parts = [part.strip() for part in response.split("******")]
    answers = [part for part in parts if part]
    return all(parts[1:-1]) and len(answers) == 2 and answers[0] != answers[1]  # noqa: PLR2004 - the name says two


def repeat_prompt(response: str, arguments: Arguments) -> bool:
    prompt = arguments.text("prompt_to_repeat")
    return response.strip().lower().startswith(prompt.strip().lower())
