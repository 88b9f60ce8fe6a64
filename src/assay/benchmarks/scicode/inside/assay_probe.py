"""In the model's process: tells the values that go into each assertion, on the standard output as it was."""
# pyright: basic, reportMissingImports=false
# (runs with the packages of the prepared environment, which Assay itself has not)

import copy
import json
import os
import sys

from assay_values import encoded

# What the program prints is nobody's business; it must not get between the reports.
_REPORTS = os.fdopen(os.dup(1), "w", encoding="utf-8")
_NULL = os.open(os.devnull, os.O_WRONLY)
sys.stdout.flush()
os.dup2(_NULL, 1)


def __assay_report__(number, *values):  # noqa: N807 - no name that a program would use
    _tell([number, [encoded(value) for value in values]])


def __assay_record__(scope, names, helper):  # noqa: N807 - no name that a program would use
    """What the functions of these names give to a helper that calls them, in the order of its calls."""
    given, depth = [], []

    def recorded(function):
        def call(*args, **kwargs):
            depth.append(function)
            try:
                value = function(*args, **kwargs)
            finally:
                depth.pop()
            # Calls among the functions themselves are not the helper's.
            if not depth:
                given.append(copy.deepcopy(value))
            return value

        return call

    originals = {name: scope[name] for name in names}
    scope.update({name: recorded(function) for name, function in originals.items()})
    try:
        helper()
    finally:
        scope.update(originals)
    return given


def __assay_end__():  # noqa: N807 - no name that a program would use
    _tell("end")


def _tell(report):
    _REPORTS.write(json.dumps(report) + "\n")
    _REPORTS.flush()
