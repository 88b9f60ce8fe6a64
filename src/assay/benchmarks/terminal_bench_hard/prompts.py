"""The messages of the official agent, Terminus 2, word for word: they are part of its protocol."""

from importlib.resources import files

_FIRST = files("assay.benchmarks.terminal_bench_hard").joinpath("templates", "first.txt")
_MOST_OUTPUT_BYTES = 10_000

TOO_LONG = (
    "ERROR!! NONE of the actions you just requested were performed because you exceeded the maximum output"
    " length of 4096 tokens. Your outputs must be less than 4096 tokens. Re-issue this request, breaking it"
    " into chunks each of which is less than 4096 tokens."
)


def first_prompt(instruction: str, screen: str) -> str:
    template = _FIRST.read_text(encoding="utf-8")
    return template.format(instruction=instruction, terminal_state=screen)


def with_errors(error: str, warning: str) -> str:
    remarks = f"ERROR: {error}" + (f"\nWARNINGS: {warning}" if warning else "")
    return (
        f"Previous response had parsing errors:\n{remarks}\n\n"
        "Please fix these issues and provide a proper JSON response."
    )


def with_warnings(warning: str, output: str) -> str:
    return f"Previous response had warnings:\nWARNINGS: {warning}\n\n{output}" if warning else output


def too_long(warning: str) -> str:
    return f"{TOO_LONG}\n\nParser warnings from your truncated response:\n{warning}" if warning else TOO_LONG


def confirmation(output: str) -> str:
    return (
        f"Current terminal state:\n{output}\n\n"
        "Are you sure you want to mark the task as complete? This will trigger your solution to be graded and"
        ' you won\'t be able to make any further corrections. If so, include "task_complete": true in your'
        " JSON response again."
    )


def cut_output(output: str) -> str:
    """Output of more than 10,000 bytes without its middle."""
    content = output.encode("utf-8", "surrogatepass")
    if len(content) <= _MOST_OUTPUT_BYTES:
        return output
    half = _MOST_OUTPUT_BYTES // 2
    first = content[:half].decode("utf-8", errors="ignore")
    last = content[-half:].decode("utf-8", errors="ignore")
    omitted = len(content) - len(first.encode()) - len(last.encode())
    return (
        f"{first}\n[... output limited to {_MOST_OUTPUT_BYTES} bytes;"
        f" {omitted} interior bytes omitted ...]\n{last}"
    )


def summary_request(instruction: str) -> str:
    # The quotation marks and the letters f stand in the official text, which is meant to have none.
    return f"""You are about to hand off your work to another AI agent. "
            f"Please provide a comprehensive summary of what you have "
            f"accomplished so far on this task:

Original Task: {instruction}

Based on the conversation history, please provide a detailed summary covering:
1. **Major Actions Completed** - List each significant command you executed "
            f"and what you learned from it.
2. **Important Information Learned** - A summary of crucial findings, file "
            f"locations, configurations, error messages, or system state discovered.
3. **Challenging Problems Addressed** - Any significant issues you "
            f"encountered and how you resolved them.
4. **Current Status** - Exactly where you are in the task completion process.

Be comprehensive and detailed. The next agent needs to understand everything "
            f"that has happened so far in order to continue."""


def questions_request(instruction: str, summary: str, screen: str) -> str:
    # A line of the official text ends in a space.
    task = "**Original Task:** "
    return f"""You are picking up work from a previous AI agent on this task:

{task}
{instruction}

**Summary from Previous Agent:**
{summary}

**Current Terminal Screen:**
{screen}

Please begin by asking several questions (at least five, more if necessary)
about the current state of the solution that are not answered in the
summary from the prior agent. After you ask these questions you will
be on your own, so ask everything you need to know.
"""


def answers_request(questions: str) -> str:
    return (
        "The next agent has a few questions for you, please answer each of them one by one in detail:\n\n"
        + questions
    )


def handoff(answers: str) -> str:
    return (
        f"Here are the answers the other agent provided.\n\n{answers}\n\n"
        "Continue working on this task from where the previous agent left off. You can no longer ask"
        " questions. Please follow the spec to interact with the terminal."
    )
