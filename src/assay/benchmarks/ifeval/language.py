# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# (langdetect has no annotations)
"""The language of a text as langdetect finds it."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from assay.domain.errors import MissingExtraError


def reads_as(language: str) -> Callable[[str], bool]:
    """A test for texts in the language; a text without a letter to judge by passes it."""
    detected = detector()
    return lambda text: detected(text) in (language, None)


@cache
def detector() -> Callable[[str], str | None]:
    """A detector that draws the same samples everywhere: seeded, with the languages in a fixed order."""
    try:
        from langdetect import DetectorFactory, LangDetectException  # noqa: PLC0415 - optional dependency
        from langdetect.detector_factory import PROFILES_DIRECTORY  # noqa: PLC0415 - optional dependency
    except ImportError as error:
        raise MissingExtraError("the language check of IFEval", "ifeval") from error
    factory = DetectorFactory()
    factory.set_seed(0)
    profiles = sorted(Path(PROFILES_DIRECTORY).iterdir())
    factory.load_json_profile([profile.read_text(encoding="utf-8") for profile in profiles])

    def detected(text: str) -> str | None:
        sample = factory.create()
        sample.append(text)
        try:
            return sample.detect()
        except LangDetectException:
            return None

    return detected
