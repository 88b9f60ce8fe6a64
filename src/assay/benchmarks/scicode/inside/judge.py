"""Computes the assertions of a step from the values that the model's process reported.

It runs no code of the model. The order is read from the file named on the command line; the verdicts are
written to the original standard output, with the secret word of the order.
"""
# pyright: basic, reportMissingImports=false
# (runs with the packages of the prepared environment, which Assay itself does not have)

import json
import os
import sys
import warnings

from assay_values import Opaque, decoded
from targets import assembled, from_hdf5

VALUES = "__assay_values__"
REPLAY = "__assay_replay__"


def main(path):
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 - runs without the package's rules
        order = json.load(file)
    verdicts_to = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    # Warnings of comparisons that fail; the verdict is enough.
    warnings.simplefilter("ignore")
    results = _judged(order)
    json.dump({"word": order["word"], "results": results}, verdicts_to)
    verdicts_to.close()


def _judged(order):
    """The fault of each assertion, or None; assertions without a report are left out."""
    scope = _scope(order)
    targets = _targets(order)
    results = {}
    for number, setup in enumerate(order["setups"]):
        scope["target"] = targets[number]
        exec(setup, scope)  # noqa: S102 - imports and functions of the test
        exec(order["unpackings"][number], scope)  # noqa: S102 - of the target
        for site, report in order["reports"]:
            assertion = order["assertions"][site]
            if assertion["test"] == number:
                results[site] = results.get(site) or _fault(assertion["source"], report, scope)
    return results


def _scope(order):
    scope: dict = {"__name__": "judge"}
    exec(order["dependencies"], scope)  # noqa: S102 - imports of the problem

    def replay(given, names, helper):
        """The result of a test's helper, with the recorded return values of the model's functions."""
        rest = iter(given)
        scope.update({name: lambda *_args, **_kwargs: next(rest) for name in names})
        return helper()

    scope[REPLAY] = replay
    return scope


def _fault(source, report, scope):
    try:
        scope[VALUES] = _values(report)
        if eval(source, scope):  # noqa: S307 - the test's own assertion
            return None
    except Opaque as error:
        return f"a value of the kind {error} cannot be compared"
    except Exception as error:  # noqa: BLE001 - officially any error fails the test
        return f"{type(error).__name__}: {error}"[:500]
    return "the values differ"


def _values(report):
    """Any line can be a report: it is parsed only where an error counts as a verdict."""
    _, values = json.loads(report)
    return [decoded(value) for value in values]


def _targets(order):
    scope = _scope(order)
    count = len(order["setups"])
    if order["hdf5"] is not None:
        return from_hdf5(order["hdf5"], order["step"], count)
    parts = [[] for _ in range(count)]
    for site, report in order["gold"]:
        assertion = order["assertions"][site]
        scope[VALUES] = _values(report)
        exec(order["setups"][assertion["test"]], scope)  # noqa: S102 - see above
        for goal in assertion["goals"]:
            parts[assertion["test"]].append((goal["path"], eval(goal["source"], scope)))  # noqa: S307 - see above
    return [assembled(one) for one in parts]


if __name__ == "__main__":
    main(sys.argv[1])
