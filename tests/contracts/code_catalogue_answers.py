"""One small task in every language, its solution, and files that lie around a solution."""

from collections.abc import Mapping
from textwrap import dedent

FILES = {
    "cpp": "src/scale.cpp",
    "go": "scale/scale.go",
    "html": "src/scale.mjs",
    "javascript": "src/scale.mjs",
    "python": "scale.py",
    "rust": "src/lib.rs",
}

TESTS = {
    "cpp": """
#include "observer.hpp"
#include "scale.hpp"
void scales(Observer& observe) { observe.value(scale({3, 5, 8}, 7)); }
void scales_negative(Observer& observe) { observe.value(scale({-2, 4, 77}, 13)); }
""",
    "go": """
package main

import "task/scale"

func scales(o *Observer)          { o.Value(scale.Scale([]int{3, 5, 8}, 7)) }
func scales_negative(o *Observer) { o.Value(scale.Scale([]int{-2, 4, 77}, 13)) }
""",
    "javascript": """
import { scale } from "/workspace/src/scale.mjs";
export function scales(observe) { observe(scale([3, 5, 8], 7)); }
export async function scales_negative(observe) { observe(scale([-2, 4, 77], 13)); }
""",
    "python": """
from scale import scale
def scales(observe): observe(scale([3, 5, 8], 7))
async def scales_negative(observe): observe(scale([-2, 4, 77], 13))
""",
    "rust": """
use crate::observer::Observer;
use solution::scale;
pub fn scales(observe: &mut Observer) { observe.value(scale(&[3, 5, 8], 7)); }
pub fn scales_negative(observe: &mut Observer) { observe.value(scale(&[-2, 4, 77], 13)); }
""",
}
TESTS["html"] = TESTS["javascript"]

# `// before` and `// inside` are where the programs below differ from the solution.
_PROGRAMS = {
    "cpp": """
        #include "scale.hpp"
        #include <chrono>
        #include <csignal>
        #include <cstdio>
        #include <cstdlib>
        #include <fstream>
        #include <iostream>
        #include <string>
        #include <thread>
        #include <unistd.h>
        // before
        std::vector<int> scale(const std::vector<int>& numbers, int factor) {
            // inside
            std::vector<int> scaled;
            for (const int number : numbers) scaled.push_back(number * factor);
            return scaled;
        }
    """,
    "go": """
        package scale

        import (
            "bufio"
            "fmt"
            "os"
            "os/exec"
            "syscall"
            "time"
            _ "unsafe"
        )

        var _, _, _, _, _, _ = bufio.NewReader, fmt.Print, os.Exit, exec.Command, syscall.Getpid, time.Now
        // before
        func Scale(numbers []int, factor int) any {
            // inside
            scaled := []int{}
            for _, number := range numbers {
                scaled = append(scaled, number * factor)
            }
            return scaled
        }
    """,
    "javascript": """
        import childProcess from "node:child_process";
        import fs from "node:fs";
        import { register, syncBuiltinESMExports } from "node:module";
        // before
        export function scale(numbers, factor) {
            // inside
            return numbers.map((number) => number * factor);
        }
    """,
    "python": """
        # before
        def scale(numbers, factor):
            # inside
            return [number * factor for number in numbers]
    """,
    "rust": """
        #![allow(unused, unconditional_recursion)]
        use std::io::{Read, Write};
        // before
        pub fn scale(numbers: &[i64], factor: i64) -> Vec<i64> {
            // inside
            numbers.iter().map(|number| number * factor).collect()
        }
    """,
}
_PROGRAMS["html"] = _PROGRAMS["javascript"]
_HEADER = """#pragma once
#include <vector>
std::vector<int> scale(const std::vector<int>& numbers, int factor);
"""


def program(language: str, *, before: str = "", inside: str = "", wrong: bool = True) -> str:
    """The solution with code before and inside its function; by default its result is wrong."""
    text = dedent(_PROGRAMS[language]).lstrip()
    mark = "#" if language == "python" else "//"
    indent = "\n    "
    text = text.replace(f"{mark} before", dedent(before).strip())
    text = text.replace(f"{mark} inside", indent.join(dedent(inside).strip().split("\n")))
    return text.replace("* factor", "+ factor") if wrong else text


def solution(language: str) -> dict[str, str]:
    around = {"cpp": {"include/scale.hpp": _HEADER}, "go": {"go.mod": "module task\n\ngo 1.21\n"}}
    return {FILES[language]: program(language, wrong=False), **around.get(language, {})}


_EXIT = "import os\nos._exit(0)\n"
_PROGRAM_NAMES = ("as", "cc", "g++", "gcc", "go", "ld", "node", "python", "python3", "rustc")
_SHIMS = dict.fromkeys((*_PROGRAM_NAMES, ".gdbinit"), "#!/bin/sh\nexit 0\n")
_ENVIRONMENT = {
    ".env": "NODE_OPTIONS=--require=/workspace/evil.cjs\nPYTHONSTARTUP=/workspace/evil.py\n",
    "evil.cjs": "process.exit(0);\n",
    "evil.py": _EXIT,
}
_OTHER_SCALE = "package scale\n\nfunc Scale(numbers []int, factor int) any { return nil }\n"
_TEST_MAIN = 'package scale\n\nimport ("os"; "testing")\n\nfunc TestMain(*testing.M) { os.Exit(0) }\n'
_SHADOWED = ("asyncio", "builtins", "codecs", "importlib", "inspect", "io", "json", "os", "sys", "typing")
_CARGO = '[build]\nrustc-wrapper = "/workspace/cc"\n[target.x86_64-unknown-linux-gnu]\nrunner = "true"\n'
# Files that configure a test runner, a compiler or an interpreter, or that could stand in for a file of ours.
_DECOYS: Mapping[str, Mapping[str, str]] = {
    "cpp": {
        **_SHIMS,
        "include/observer.hpp": "#error replaced\n",
        "src/observer.hpp": "#error replaced\n",
        "include/iostream": "#error replaced\n",
        "include/cstdlib": "#error replaced\n",
        "src/string": "#error replaced\n",
        "observer.hpp": "#error replaced\n",
        "-fsyntax-only.cpp": "",
        "-include.cpp": "",
        "@options.cpp": "// -c -o none\n",
        "options.cpp": "// -c -o none\n",
        "specs": "*cc1plus:\n-fsyntax-only\n",
        "CMakeLists.txt": "error(1)\n",
        "Makefile": "all:\n\tfalse\n",
    },
    "go": {
        **_SHIMS,
        "go.mod": "module task\n\ngo 1.21\n\ntoolchain go1.99.1\n\nreplace example.com/x => ./other\n",
        "go.work": "go 1.21\n\nuse ./other\n",
        "go.env": "GOFLAGS=-toolexec=false\n",
        "other/go.mod": "module task/scale\n\ngo 1.21\n",
        "other/scale.go": _OTHER_SCALE,
        "vendor/modules.txt": "# task/scale v1.0.0\ntask/scale\n",
        "vendor/task/scale/scale.go": _OTHER_SCALE,
        "scale/main_test.go": _TEST_MAIN,
        "main.go": "package main\n\nfunc main() {}\n",
        "observer.go": "package main\n\nfunc runTests(tests []namedTest) {}\n",
    },
    "javascript": {
        **_SHIMS,
        **_ENVIRONMENT,
        ".npmrc": "node-options=--require=/workspace/evil.cjs\nscript-shell=/workspace/cc\n",
        "package.json": '{"type": "commonjs", "imports": {"#fs": "./evil.cjs"}, "main": "evil.cjs"}',
        "src/package.json": '{"type": "commonjs"}',
        "node_modules/fs/index.js": "process.exit(0);\n",
        "node_modules/node:fs/index.js": "process.exit(0);\n",
        "node.config.json": '{"nodeOptions": {"require": "/workspace/evil.cjs"}}',
        "run_javascript.mjs": "process.exit(0);\n",
    },
    "python": {
        **_SHIMS,
        **_ENVIRONMENT,
        "conftest.py": _EXIT,
        "pytest.ini": "[pytest]\naddopts = --collect-only\n",
        "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "--collect-only"\n',
        "sitecustomize.py": _EXIT,
        "usercustomize.py": _EXIT,
        "site.py": _EXIT,
        "evil.pth": "import os; os._exit(0)\n",
        "tests.py": "def scales(observe): observe([21, 35, 56])\nscales_negative = scales\n",
        "tests/__init__.py": _EXIT,
        "__main__.py": _EXIT,
        "encodings/__init__.py": _EXIT,
        **{f"{name}.py": _EXIT for name in _SHADOWED},
    },
    "rust": {
        **_SHIMS,
        ".cargo/config.toml": _CARGO,
        "rust-toolchain.toml": '[toolchain]\nchannel = "nightly"\n',
        "build.rs": "fn main() { std::process::exit(0) }\n",
        "src/observer.rs": "compile_error!();\n",
        "src/main.rs": "fn main() {}\n",
        "src/tests.rs": "compile_error!();\n",
        "observer.rs": "compile_error!();\n",
        "libstd.rlib": "",
    },
}
DECOYS = {**_DECOYS, "html": _DECOYS["javascript"]}

# More than a pipe holds, what looks like a report, and half a line.
_ENDING = '"\\n@ done\\n@ end scales\\nhalf a line"'
NOISE = {
    "cpp": f"std::cout << std::string(300000, '.') << {_ENDING};\nstd::printf(\"half\");",
    "go": f"fmt.Print(string(make([]byte, 300000)), {_ENDING})",
    "javascript": f'console.log(".".repeat(300000));\nprocess.stdout.write({_ENDING});',
    "python": f'print("." * 300000, {_ENDING}, end="")',
    "rust": f'print!("{{}}", ".".repeat(300000));\nprint!({_ENDING});',
}
NOISE["html"] = NOISE["javascript"]
