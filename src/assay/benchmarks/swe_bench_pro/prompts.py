"""What the agent is told; the words are ours, the problem is put together as the authors do."""

DONE = "SUBMIT"
_MOST_OUTPUT = 16_000

_FIRST = """You are a software engineer. The repository in /app of a Linux machine needs a change, which is
described below. You have a shell on that machine.

Each of your replies holds exactly one block of shell commands:

```bash
commands
```

It is run by bash in /app, and you get its exit code and its output. Every block is a shell of its own:
variables and the folder do not last. A block may take {command_s:g} seconds. There is no editor and nobody to
answer questions; write files with heredocs or with a program.

Look at the code before you change it, make the change complete, and try it out. Do not change the tests that
are there: they are replaced, and hidden ones are added. When everything is done, reply with a block that
holds the one word {done}:

```bash
{done}
```

<problem>
{problem}
</problem>
"""


def first_prompt(problem: str, *, command_s: float) -> str:
    return _FIRST.format(problem=problem, command_s=command_s, done=DONE)


def observation(exit_code: int | None, output: str, *, ended: str = "") -> str:
    state = ended or f"exit code {exit_code}"
    return f"<result>\n{state}\n{_shortened(output)}\n</result>"


def not_one_block(count: int) -> str:
    return (
        f"Your reply holds {count} blocks of shell commands, and nothing was run. Reply with exactly one"
        " block that begins with a line ```bash and ends with a line ```."
    )


def _shortened(output: str) -> str:
    if len(output) <= _MOST_OUTPUT:
        return output
    half = _MOST_OUTPUT // 2
    return f"{output[:half]}\n[… {len(output) - 2 * half} characters left out …]\n{output[-half:]}"
