"""In the model's process: tells the values that go into each assertion, on the standard output as it was."""
# pyright: basic, reportMissingImports=false
# (runs with the packages of the prepared environment, which Assay itself has not)

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


def __assay_end__():  # noqa: N807 - no name that a program would use
    _tell("end")


def _tell(report):
    _REPORTS.write(json.dumps(report) + "\n")
    _REPORTS.flush()
