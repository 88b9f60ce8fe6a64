"""Runs in the model's process: reports the values of each assertion on the original standard output."""
# pyright: basic, reportMissingImports=false
# (runs with the packages of the prepared environment, which Assay itself does not have)

import copy
import json
import os
import sys

from assay_values import encoded

# Output of the program is dropped: it must not mix with the reports.
_REPORTS = os.fdopen(os.dup(1), "w", encoding="utf-8")
_NULL = os.open(os.devnull, os.O_WRONLY)
sys.stdout.flush()
os.dup2(_NULL, 1)


def __assay_report__(number, *values):  # noqa: N807 - no name that a program would use
    _report([number, [encoded(value) for value in values]])


def __assay_record__(scope, names, helper):  # noqa: N807 - no name that a program would use
    """The return values of these functions when a helper calls them, in the order of the calls."""
    given, depth = [], []

    def recorded(function):
        def call(*args, **kwargs):
            depth.append(function)
            try:
                value = function(*args, **kwargs)
            finally:
                depth.pop()
            # Calls between the functions themselves are not recorded.
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
    _report("end")


def _report(report):
    _REPORTS.write(json.dumps(report) + "\n")
    _REPORTS.flush()
