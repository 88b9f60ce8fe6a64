"""Models that are functions of a user's own program: only that program can call them."""

from assay.domain.errors import InvalidValueError
from assay.domain.run import LOCAL_CODE


def is_function(model: str) -> bool:
    return model.startswith(f"{LOCAL_CODE}/")


def function_missing(model: str) -> InvalidValueError:
    return InvalidValueError(
        f"{model!r} is a function of a Python program, and only that program can call it:"
        " give the function to assay.evaluate or assay.resume there"
    )
