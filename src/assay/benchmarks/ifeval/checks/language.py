from collections.abc import Callable

from assay.benchmarks.ifeval.detection import detector
from assay.engine.graders.instructions.answer import Answer
from assay.engine.graders.instructions.arguments import Arguments

_LANGUAGES = frozenset(
    "ar bg bn de en es fa fi fr gu he hi it ja kn ko ml mr ne pa pl pt ru sw ta te th uk ur vi".split()  # noqa: SIM905
)


def response_language(answer: Answer, arguments: Arguments) -> bool:
    language = arguments.text("language")
    if language not in _LANGUAGES:
        raise arguments.error(f"'language' must be one of {sorted(_LANGUAGES)}, not {language!r}")
    return reads_as(language)(answer.text)


def reads_as(language: str) -> Callable[[str], bool]:
    """A test for texts in the language; one that gives nothing to judge by passes it."""
    detected = detector()
    return lambda text: detected(text) in (language, None)
