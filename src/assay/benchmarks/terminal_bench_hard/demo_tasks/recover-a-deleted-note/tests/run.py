"""Runs the tests beside it and prints a summary in the form of pytest, which the image does not have."""

import importlib.util
import pathlib

place = pathlib.Path(__file__).with_name("test_outputs.py")
spec = importlib.util.spec_from_file_location("test_outputs", place)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
lines = []
for name, test in sorted(vars(module).items()):
    if name.startswith("test_"):
        try:
            test()
            lines.append(f"PASSED test_outputs.py::{name}")
        except BaseException as error:
            lines.append(f"FAILED test_outputs.py::{name} - {type(error).__name__}")
print(" short test summary info ".center(80, "="))
print("\n".join(lines))
