import pathlib
import subprocess


def git(*arguments):
    command = ["/usr/bin/git", "-C", "/app", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=10).stdout.strip()


def test_content():
    assert pathlib.Path("/app/plan.txt").read_bytes() == b"water the plants\nmeasure twice\n\tcut once"


def test_history():
    assert git("log", "--format=%s", "main").splitlines() == ["Tidy up", "Revise the plan", "Begin"]


def test_branch():
    assert git("rev-parse", "--abbrev-ref", "HEAD") == "main"
