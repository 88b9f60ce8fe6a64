"""Agents of users in real containers: what they reach, what they are kept from, and how they end."""

import asyncio
import contextlib
import json
import sqlite3
from collections.abc import AsyncGenerator, Awaitable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web

from assay.adapters.models.directory import HttpModelDirectory
from assay.adapters.sandbox.docker.containers import ContainerOptions, DockerContainers
from assay.benchmarks.swe_bench_pro.task import InstanceTables
from assay.benchmarks.swe_bench_pro.task import benchmark as swe_bench_pro
from assay.benchmarks.terminal_bench_hard.grading import graded
from assay.benchmarks.terminal_bench_hard.task import TaskTables, benchmark
from assay.benchmarks.terminal_bench_hard.trial import run_trial
from assay.benchmarks.terminal_bench_hard.working import own
from assay.domain.agent import AgentLimits, HostedAgent
from assay.domain.benchmark import Ask, Cue, Grade, Services
from assay.domain.calls.messages import Completion, Generation, Prompt, ToolCall, Usage
from assay.domain.calls.transcript import Transcript, transcript_in
from assay.domain.errors import BudgetReachedError, RejectedError, ServerError
from assay.domain.outcome import Outcome
from assay.domain.programs.sandbox import MIB
from assay.engine.ports import Request
from tests.docker_engine import DockerEngine
from tests.integration.cli import Assay
from tests.integration.own_agents import CENT_A_CALL, CLIENT, SOLVER, hosted
from tests.integration.processes import process, running
from tests.integration.trials import scripted, simulated

# One loop for all: the connection lives as long as the engine.
pytestmark = pytest.mark.asyncio(loop_scope="module")
TABLES = benchmark.demo_tables()
assert isinstance(TABLES, TaskTables)
TASKS = {task.id: task for task in TABLES.tasks}
AVERAGE = TASKS["fix-the-average"]
NO_CUE = Cue()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def containers(engine: DockerEngine) -> AsyncGenerator[DockerContainers]:
    containers = DockerContainers(ContainerOptions(engine.socket_path, slots=6))
    yield containers
    await containers.close()


async def worked(
    agent: HostedAgent, containers: DockerContainers, ask: Ask | None = None, **changes: Any
) -> tuple[Grade, Transcript]:
    """Of the task with these fields changed; the model is the simulated one of the agent's name."""
    task = replace(AVERAGE, **{"agent_s": 60.0, **changes})
    completion = await run_trial(task, containers, own(task, ask or simulated(agent.model), agent))
    transcript = transcript_in(completion.answer)
    assert transcript is not None
    return graded(completion.answer, sorted(task.test_names())), transcript


def printed(transcript: Transcript) -> str:
    return str(transcript.facts["agent_output"])


async def test_an_own_agent_solves_every_demo_task_and_a_lazy_one_none(
    containers: DockerContainers,
) -> None:
    agents = {Outcome.CORRECT: hosted(SOLVER), Outcome.INCORRECT: hosted("")}
    for one in (benchmark, swe_bench_pro):
        item_set = one.load(one.demo_tables())
        assert item_set.converse is not None
        trials = [(item, outcome) for item in item_set.items for outcome in agents]
        answers = await asyncio.gather(
            *(
                item_set.converse(
                    item, simulated("sim/oracle"), Services(containers=containers, agent=agents[outcome])
                )
                for item, outcome in trials
            )
        )
        for (item, outcome), answer in zip(trials, answers, strict=True):
            grade = await one.grade(item, answer, Services(containers=containers))
            assert grade.outcome is outcome, (item.id, grade.explanation, answer.answer[:3000])
            assert grade.details["agent_ended"] == "done"


TALK = """
from client import asked, called
print(called("/models"))
print(asked("first", temperature=0.5))
print(asked("second", stream=True, stream_options={"include_usage": True}))
"""


async def test_replies_come_whole_or_as_a_stream_and_every_call_is_kept(
    containers: DockerContainers,
) -> None:
    asked: list[Prompt] = []

    async def ask(prompt: Prompt, *, cue: Cue = NO_CUE) -> Completion:
        asked.append(prompt)
        call = ToolCall("c1", "look", "{}")
        calls = (call,) if len(asked) == 1 else ()
        return Completion(f"reply {len(asked)}", tool_calls=calls, usage=Usage(7, 3), finish_reason="stop")

    _, transcript = await worked(hosted(TALK, model="sim/x"), containers, ask)
    models, first, second = (eval(line) for line in printed(transcript).splitlines())  # noqa: S307 # our own
    assert json.loads(models[1])["data"][0]["id"] == "sim/x"
    reply = json.loads(first[1])
    assert reply["choices"][0]["message"]["content"] == "reply 1"
    assert reply["choices"][0]["message"]["tool_calls"][0]["function"]["name"] == "look"
    assert reply["usage"] == {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    chunks = [line.removeprefix("data: ") for line in second[1].split("\n\n") if line]
    assert chunks[-1] == "[DONE]"
    parts = [json.loads(chunk) for chunk in chunks[:-1]]
    assert parts[0]["choices"][0]["delta"]["content"] == "reply 2"
    assert parts[1]["choices"][0]["finish_reason"] == "stop"
    assert parts[2]["usage"]["total_tokens"] == 10
    assert asked[0].body is not None
    assert asked[0].body["temperature"] == 0.5
    assert "stream" not in (asked[1].body or {})
    said = [(one["role"], one["content"], one["call"]) for one in transcript.messages]
    assert said == [
        ("user", "first", 1),
        ("assistant", "reply 1", 1),
        ("user", "second", 2),
        ("assistant", "reply 2", 2),
    ]


REFUSED = """
from client import asked, called
import json
for status, text in (
    asked("x", model="openai/gpt-4"),
    asked("x", models=["openai/gpt-4"]),
    asked("x", n=2),
    called("/chat/completions", {"model": "sim/oracle", "messages": []}),
    called("/responses", {}),
    called("/models", key="assay-wrong"),
    called("/models", key=""),
):
    print(status, json.loads(text)["error"]["message"])
"""


async def test_only_the_runs_model_is_reached_and_only_with_the_attempts_key(
    containers: DockerContainers,
) -> None:
    async def ask(prompt: Prompt, *, cue: Cue = NO_CUE) -> Completion:
        raise AssertionError("nothing may reach the model")

    _, transcript = await worked(hosted(REFUSED), containers, ask)
    said = printed(transcript).splitlines()
    assert [line.split()[0] for line in said] == ["404", "400", "400", "400", "404", "401", "401"]
    assert "'sim/oracle'" in said[0]
    assert "'models'" in said[1]


SPENDS = """
from client import asked
import sys
for number in range(9):
    status, text = asked(f"question {number}")
    print(status, text[:400], flush=True)
"""


@pytest.mark.parametrize(
    ("limits", "answered", "named"),
    [
        (AgentLimits(calls=2), 2, "calls"),
        (AgentLimits(tokens=25), 3, "tokens"),
        (AgentLimits(usd=Decimal(12)), 2, "USD"),
    ],
)
async def test_no_call_is_answered_beyond_a_limit(
    containers: DockerContainers, limits: AgentLimits, answered: int, named: str
) -> None:
    async def ask(prompt: Prompt, *, cue: Cue = NO_CUE) -> Completion:
        return Completion("yes", usage=Usage(7, 3), finish_reason="stop")

    agent = hosted(SPENDS, limits=limits, price=CENT_A_CALL)
    grade, transcript = await worked(agent, containers, ask)
    lines = printed(transcript).splitlines()
    assert [line.split()[0] for line in lines] == ["200"] * answered + ["403"] * (9 - answered)
    assert f"used up its {named}" in lines[-1]
    assert "limit_reached" in lines[-1]
    assert (grade.details["limit_reached"], grade.details["steps"]) == (named, answered)


async def test_refused_requests_count_as_calls(containers: DockerContainers) -> None:
    async def ask(prompt: Prompt, *, cue: Cue = NO_CUE) -> Completion:
        raise RejectedError("the prompt is too long", status=400)

    _, transcript = await worked(hosted(SPENDS, limits=AgentLimits(calls=2)), containers, ask)
    lines = printed(transcript).splitlines()
    assert [line.split()[0] for line in lines] == ["400"] * 2 + ["403"] * 7
    assert "too long" in lines[0]


@pytest.mark.parametrize("error", [BudgetReachedError("used up"), ServerError("down", status=500)])
async def test_what_keeps_the_model_from_being_asked_ends_the_attempt(
    containers: DockerContainers, error: Exception
) -> None:
    async def ask(prompt: Prompt, *, cue: Cue = NO_CUE) -> Completion:
        raise error

    with pytest.raises(type(error)):
        await worked(
            hosted("from client import asked\nasked('x')\nimport time\ntime.sleep(999)"), containers, ask
        )


FIX = f"import subprocess\nsubprocess.run(['bash', '-c', {AVERAGE.solution!r}], check=True)\n"
ENDINGS = {
    "failed": f"{FIX}raise SystemExit(3)",
    "time": f"{FIX}import signal, time\nsignal.signal(15, signal.SIG_IGN)\ntime.sleep(999)",
    "signal": f"{FIX}import os\nos.kill(os.getpid(), 9)",
}


@pytest.mark.parametrize("ended", ENDINGS)
async def test_the_tests_run_however_the_agent_ends(containers: DockerContainers, ended: str) -> None:
    grade, transcript = await worked(hosted(ENDINGS[ended]), containers, agent_s=3)
    assert transcript.facts["agent_ended"] == ended
    assert grade.outcome is Outcome.CORRECT, grade.explanation
    assert grade.details["exit_code"] == (3 if ended == "failed" else None)


BOMB = """
import os, time
if os.fork():
    time.sleep(3)
    raise SystemExit
os.setsid()
try:
    while os.fork(): pass
finally:
    time.sleep(99)
"""
ACCIDENTS = {
    "process_limit": BOMB,
    "disk_limit": "import time\nopen('/full', 'wb').write(bytes(50_000_000))\ntime.sleep(99)",
}


@pytest.mark.parametrize("ended", ACCIDENTS)
async def test_an_agent_that_takes_all_there_is_ends_as_that(
    containers: DockerContainers, ended: str
) -> None:
    small = replace(AVERAGE.limits, processes=40, disk_bytes=16 * MIB)
    grade, _ = await worked(hosted(ACCIDENTS[ended]), containers, agent_s=20, limits=small)
    assert (grade.outcome, grade.details["ended"]) == (Outcome.INCORRECT, ended), grade.details


async def test_attempts_side_by_side_have_keys_and_addresses_of_their_own(
    containers: DockerContainers,
) -> None:
    both = asyncio.Event()
    keys: dict[str, str] = {}

    async def talk(name: str) -> str:
        async def ask(prompt: Prompt, *, cue: Cue = NO_CUE) -> Completion:
            # The first call says the own key, the second comes with that of the other.
            text = json.dumps(prompt.body)
            if name not in keys:
                keys[name] = text.partition("key=")[2].partition('"')[0]
                if len(keys) == 2:
                    both.set()
                await asyncio.wait_for(both.wait(), 60)
                other = next(key for one, key in keys.items() if one != name)
                return Completion(other, finish_reason="stop")
            return Completion("reached", finish_reason="stop")

        program = (
            "import json, os\nfrom client import asked, called\n"
            "reply = asked('key=' + os.environ['OPENAI_API_KEY'])[1]\n"
            "other = json.loads(reply)['choices'][0]['message']['content']\n"
            "body = {'model': 'sim/oracle', 'messages': [{'role': 'user', 'content': 'x'}]}\n"
            "print(called('/chat/completions', body, key=other)[0], called('/models')[0])\n"
        )
        _, transcript = await worked(hosted(program), containers, ask)
        return printed(transcript).strip()

    assert await asyncio.gather(talk("a"), talk("b")) == ["401 200", "401 200"]
    assert len(set(keys.values())) == 2


SEARCH = """
import subprocess
for needle in {needles!r}:
    left_out = ["--exclude-dir=" + one for one in ("proc", "sys", "agent")]
    command = ["grep", "-rIlF", *left_out, "-e", needle, "/"]
    print(needle, subprocess.run(command, capture_output=True, text=True).stdout.split())
"""


def longest_line(text: str, start: str = "") -> str:
    return max((line.removeprefix(start) for line in text.splitlines() if line.startswith(start)), key=len)


async def test_an_agent_finds_neither_tests_nor_solution_anywhere(containers: DockerContainers) -> None:
    instances = swe_bench_pro.demo_tables()
    assert isinstance(instances, InstanceTables)
    hidden = {
        task.id: [*sorted(task.test_names()), longest_line(task.solution or "")] for task in TASKS.values()
    }
    for one in instances.instances:
        names = [name.rpartition(".")[2] for name in one.fail_to_pass]
        hidden[one.id] = [*names, longest_line(one.patch, "+")]
    trials: list[tuple[list[str], Awaitable[Completion]]] = []
    for one in (benchmark, swe_bench_pro):
        item_set = one.load(one.demo_tables())
        assert item_set.converse is not None
        for item in item_set.items:
            needles = hidden[item.id]
            agent = hosted(SEARCH.replace("{needles!r}", repr(needles)))
            services = Services(containers=containers, agent=agent)
            trials.append((needles, item_set.converse(item, simulated("sim/null"), services)))
    answers = await asyncio.gather(*(trial for _, trial in trials))
    for (needles, _), answer in zip(trials, answers, strict=True):
        transcript = transcript_in(answer.answer)
        assert transcript is not None
        assert printed(transcript).splitlines() == [f"{needle} []" for needle in needles]


async def test_an_agent_reaches_no_engine_network_or_relay(containers: DockerContainers) -> None:
    program = (
        "import os, subprocess\n"
        "print(os.listdir('/sys/class/net'), os.path.exists('/var/run/docker.sock'))\n"
        "print(subprocess.run(['ps', 'ax'], capture_output=True, text=True).stdout.count('http.server'))\n"
    )
    _, transcript = await worked(hosted(program), containers, scripted([], then="hello"))
    assert printed(transcript).splitlines() == ["['lo'] False", "0"]


BAD_REQUESTS = r"""
import os, socket
from client import asked
host, port = os.environ["OPENAI_BASE_URL"].split("/")[2].split(":")
start = b"POST /v1/chat/completions HTTP/1.1\r\n"
def raw(data):
    with socket.create_connection((host, int(port)), timeout=20) as one:
        one.sendall(data)
        return one.recv(200).split(b"\r\n")[0].decode()
def sent(body):
    key = os.environ["OPENAI_API_KEY"].encode()
    return raw(start + b"Authorization: Bearer " + key + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
raw(b"\x00\xff\n\n")
print(raw(start + b"Content-Length: 99999999999\r\n\r\n"))
print(raw(start + b"\r\n"))
for body in (b"[" * 400000, b'{"model": "\ud800"}', b'{"seed": 1' + b"0" * 30 + b"}", b"[1]", b'{"a": NaN}'):
    print(sent(body))
print(asked("x")[0])
"""


async def test_bad_requests_do_not_stop_the_relay(containers: DockerContainers) -> None:
    _, transcript = await worked(hosted(BAD_REQUESTS), containers, scripted([], then="fine"))
    *refused, last = printed(transcript).splitlines()
    assert [line.split()[1] for line in refused] == ["413", "411"] + ["400"] * 5
    assert last == "200"


EVERYTHING = """
import glob, os, subprocess
from client import asked, called
for place in ("/proc/[0-9]*/environ", "/proc/[0-9]*/cmdline"):
    for name in glob.glob(place):
        try:
            print(open(name, errors="replace").read())
        except OSError:
            pass
print(asked("first")[1], asked("second")[1], called("/models")[1], called("/nowhere")[1])
found = subprocess.run(["grep", "-rIl", "can" + "ary", "/", "--exclude-dir=proc", "--exclude-dir=sys"],
                       capture_output=True, text=True).stdout.split()
print("FILES", found)
"""


async def test_the_key_is_nowhere_in_the_container_nor_in_what_is_stored(
    containers: DockerContainers,
) -> None:
    """Not even if the endpoint repeats it in an error."""
    seen: list[str] = []

    async def endpoint(request: web.Request) -> web.Response:
        seen.append(request.headers["Authorization"])
        error = {"error": {"message": f"bad request with {request.headers['Authorization']}"}}
        return web.json_response(error, status=400)

    app = web.Application()
    app.router.add_post("/v1/chat/completions", endpoint)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    address = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    key = "sk-canary-0123456789abcdef"
    client = HttpModelDirectory({"OPENAI_API_KEY": key}).open("openai/tested", base_url=address)

    async def ask(prompt: Prompt, *, cue: Cue = NO_CUE) -> Completion:
        return await client.complete(Request(prompt, Generation(), cue=lambda: cue))

    try:
        agent = hosted(EVERYTHING, model="openai/tested")
        _, transcript = await worked(agent, containers, ask)
    finally:
        await client.close()
        await runner.cleanup()
    assert set(seen) == {f"Bearer {key}"}
    said = printed(transcript)
    assert "bad request with" in said
    assert "FILES []" in said
    assert "canary" not in json.dumps([dict(transcript.facts), list(transcript.messages)], default=dict)


async def test_a_killed_worker_leaves_no_container_and_its_item_is_done_again(
    engine: DockerEngine, containers: DockerContainers, tmp_path: Path
) -> None:
    await containers.check()
    assay = Assay(tmp_path / "home", (("DOCKER_HOST", f"unix://{engine.socket_path}"),))
    folder = tmp_path / "agent"
    folder.mkdir()
    (folder / "client.py").write_text(CLIENT)
    (folder / "run.py").write_text("from client import asked\nasked('a first question')\n" + SOLVER)
    options = ("--agent-command", "python3 /agent/run.py", "--agent-folder", str(folder))
    run = ("run", "sim/oracle?delay_ms=3000", "terminal_bench_hard", "--data", "demo", "--item", AVERAGE.id)
    started = await process(assay, *run, *options)
    assert started.stderr is not None
    run_id = (await started.stderr.readline()).split()[1].decode()
    async with asyncio.timeout(120):
        while steps_in(assay) < 1:
            await asyncio.sleep(0.1)
    started.kill()
    await started.wait()
    # The task's and the relay's: nobody is left to remove them, and they end by themselves.
    async with asyncio.timeout(60):
        while await running(engine):
            await asyncio.sleep(0.1)
    resumed = await process(assay, "resume", run_id)
    out, error = await resumed.communicate()
    assert resumed.returncode == 0, error
    assert b"100.0 %" in out
    assert await running(engine) == []


def steps_in(assay: Assay) -> int:
    """How many replies of attempts under way are stored."""
    if not (assay.home / "assay.db").exists():
        return 0
    with contextlib.closing(sqlite3.connect(assay.home / "assay.db")) as database:
        found = database.execute("select count(*) from steps").fetchone()
    return int(found[0])
