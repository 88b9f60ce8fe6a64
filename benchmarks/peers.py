"""The same work in lm-eval, Inspect and Assay: what a user types and writes, and how long it takes.

    python -m benchmarks.peers [--items 500] [--rounds 3] [--venv FOLDER]

Each tool asks an endpoint on this machine the same questions of a JSON Lines file, 16 at a time, grades the
answers against the expected ones, and stores what was said. The endpoint answers rightly after 50 ms; nobody
can need less than items / 16 times that. A time is that of the whole command, as a user waits for it.

The peers are installed from PyPI, at the versions below, into the virtual environment in FOLDER if they are
not there yet; without `--venv`, Assay alone is measured.
"""

import argparse
import asyncio
import json
import os
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import web

PEERS = ("lm_eval[api]==0.4.13", "inspect-ai==0.3.285", "openai==3.51.0")
CONNECTIONS = 16
REPLY_S = 0.05
QUESTION = re.compile(r"What is (\d+) \+ (\d+)\?")
LINES_FILE = "sums.jsonl"

LM_EVAL_TASK = """\
task: sums
dataset_path: json
dataset_kwargs:
  data_files:
    test: sums.jsonl
test_split: test
output_type: generate_until
doc_to_text: "{{prompt}}"
doc_to_target: "{{expected}}"
generation_kwargs:
  until: ["\\n\\n"]
  max_gen_toks: 16
metric_list:
  - metric: exact_match
    aggregation: mean
    higher_is_better: true
"""
INSPECT_TASK = """\
from inspect_ai import Task, task
from inspect_ai.dataset import FieldSpec, json_dataset
from inspect_ai.scorer import exact
from inspect_ai.solver import generate


@task
def sums():
    dataset = json_dataset("sums.jsonl", FieldSpec(input="prompt", target="expected"))
    return Task(dataset=dataset, solver=generate(), scorer=exact())
"""
ASSAY_SCRIPT = """\
import assay

print(assay.evaluate("openai-api/local/adder", "dataset:sums"))
"""


@dataclass(frozen=True)
class Tool:
    """`files` are what a user writes beside the questions; `once` is typed before, and not timed."""

    name: str
    command: str
    files: Mapping[str, str]
    is_peer: bool = True
    once: tuple[str, ...] = ()

    @property
    def lines(self) -> int:
        return sum(bool(line.strip()) for text in self.files.values() for line in text.splitlines())


_LM_EVAL = (
    "lm_eval --model local-chat-completions --model_args"
    " model=adder,base_url={url}/chat/completions,num_concurrent=16 --tasks sums --include_path ."
    " --apply_chat_template --log_samples --output_path out"
)
TOOLS = (
    Tool(
        "lm-eval",
        _LM_EVAL,
        {"sums.yaml": LM_EVAL_TASK},
    ),
    Tool(
        "Inspect",
        "inspect eval sums.py --model openai-api/local/adder --max-connections 16 --display plain",
        {"sums.py": INSPECT_TASK},
    ),
    Tool(
        "Assay",
        "assay run openai-api/local/adder dataset:sums",
        {},
        is_peer=False,
        once=("assay datasets add sums.jsonl",),
    ),
    Tool(
        "Assay from Python",
        "python sums_assay.py",
        {"sums_assay.py": ASSAY_SCRIPT},
        is_peer=False,
        once=("assay datasets add sums.jsonl",),
    ),
)


async def answer(request: web.Request) -> web.StreamResponse:
    body: dict[str, Any] = await request.json()
    found = QUESTION.search(str(body["messages"][-1]["content"]))
    text = str(int(found[1]) + int(found[2])) if found else "?"
    await asyncio.sleep(REPLY_S)
    usage = {"prompt_tokens": 8, "completion_tokens": 2, "total_tokens": 10}
    common = {"id": "1", "created": 0, "model": "adder"}
    if not body.get("stream"):
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        reply = {**common, "object": "chat.completion", "choices": [choice], "usage": usage}
        return web.json_response(reply)
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    delta = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    pieces: list[dict[str, Any]] = [{"choices": [delta]}, {"choices": [], "usage": usage}]
    for piece in pieces:
        document: dict[str, Any] = {**common, "object": "chat.completion.chunk", **piece}
        await response.write(f"data: {json.dumps(document)}\n\n".encode())
    await response.write(b"data: [DONE]\n\n")
    return response


async def serve() -> None:
    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}/v1", flush=True)
    await asyncio.Event().wait()


@contextmanager
def endpoint() -> Generator[str]:
    command = [sys.executable, "-m", "benchmarks.peers", "--serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def install(venv: Path) -> None:
    if not (venv / "bin" / "python").exists():
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    if not (venv / "bin" / "inspect").exists():
        subprocess.run([str(venv / "bin" / "pip"), "install", "--quiet", *PEERS], check=True)


def write_questions(folder: Path, count: int) -> None:
    rows = [
        {"prompt": f"What is {number} + {number % 97}?", "expected": str(number + number % 97)}
        for number in range(count)
    ]
    (folder / LINES_FILE).write_text("".join(json.dumps(row) + "\n" for row in rows))


@dataclass(frozen=True)
class Done:
    """`cpu_s` counts every process of the command."""

    seconds: float
    cpu_s: float
    printed: str


def run(command: str, folder: Path, environment: Mapping[str, str]) -> Done:
    began, cpu_s = time.perf_counter(), children_cpu_s()
    done = subprocess.run(
        shlex.split(command), cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - began
    if done.returncode:
        sys.exit(f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return Done(seconds, children_cpu_s() - cpu_s, done.stdout)


def children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(tool: Tool, arguments: argparse.Namespace, url: str) -> Done:
    """The run of median duration."""
    programs = Path(sys.executable).parent if not tool.is_peer else arguments.venv / "bin"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_questions(folder, arguments.items)
        for path, text in tool.files.items():
            (folder / path).write_text(text)
        environment = {
            **os.environ,
            "PATH": f"{programs}:{os.environ['PATH']}",
            "ASSAY_HOME": str(folder / "home"),
            "LOCAL_BASE_URL": url,
            "LOCAL_API_KEY": "none",
            "OPENAI_API_KEY": "none",
            # Nobody waits for a hub that nothing is needed from.
            "HF_HUB_OFFLINE": "1",
            "HF_DATASETS_OFFLINE": "1",
        }
        for command in tool.once:
            run(command, folder, environment)
        command = tool.command.format(url=url)
        rounds = [run(command, folder, environment) for _ in range(arguments.rounds)]
        return sorted(rounds, key=lambda one: one.seconds)[len(rounds) // 2]


def score_line(printed: str) -> str:
    """The part of the output that states the score, to see that all have done the same work."""
    found = re.findall(r"exact_match\|[^|]*\| *[\d.]+|mean +[\d.]+|\d+\.\d+ %", printed)
    return " ".join(found[0].split()) if found else printed[-100:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--items", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--venv", type=Path)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        asyncio.run(serve())
        return
    if arguments.venv is not None:
        arguments.venv = arguments.venv.absolute()
        install(arguments.venv)
    least_s = arguments.items / CONNECTIONS * REPLY_S
    print(f"{arguments.items} items, at least {least_s:.1f} s, median of {arguments.rounds}")
    with endpoint() as url:
        for tool in TOOLS:
            if tool.is_peer and arguments.venv is None:
                continue
            done = measured(tool, arguments, url)
            print(
                f"{tool.name}: {done.seconds:.1f} s, {done.cpu_s:.1f} s of CPU,"
                f" {1 + len(tool.once)} commands, {tool.lines} lines; {score_line(done.printed)}"
            )


if __name__ == "__main__":
    main()
