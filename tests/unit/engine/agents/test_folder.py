"""The folder of an own agent: what of it goes into the containers, and what identifies it."""

from pathlib import Path

import pytest

from assay.domain.agent import AgentLimits, OwnAgent
from assay.domain.errors import InvalidValueError
from assay.engine.agents import folder as folder_module
from assay.engine.agents.folder import load_agent


def agent_in(folder: Path) -> OwnAgent:
    return OwnAgent("python /agent/run.py", str(folder))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lib").mkdir()
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "run.py").write_text("print(1)")
    (tmp_path / "lib" / "tool").write_text("#!/bin/sh")
    (tmp_path / "lib" / "tool").chmod(0o755)
    (tmp_path / "__pycache__" / "run.pyc").write_text("x")
    return tmp_path


def test_the_files_are_taken_with_what_may_be_executed(folder: Path) -> None:
    loaded = load_agent(agent_in(folder))
    assert {name: one.is_executable for name, one in loaded.files.items()} == {
        "run.py": False,
        "lib/tool": True,
    }
    assert loaded.files["run.py"].content == b"print(1)"


def test_any_change_of_command_files_or_limits_is_another_agent(folder: Path) -> None:
    labels = [load_agent(agent_in(folder)).label]
    assert load_agent(agent_in(folder)).label == labels[0]
    labels.append(load_agent(OwnAgent("python /agent/other.py", str(folder))).label)
    labels.append(load_agent(OwnAgent("python /agent/run.py", str(folder), AgentLimits(calls=3))).label)
    (folder / "run.py").chmod(0o755)
    labels.append(load_agent(agent_in(folder)).label)
    (folder / "run.py").write_text("print(2)")
    labels.append(load_agent(agent_in(folder)).label)
    (folder / "run.py").rename(folder / "run2.py")
    labels.append(load_agent(agent_in(folder)).label)
    assert len(set(labels)) == len(labels)


def test_links_are_refused(folder: Path) -> None:
    (folder / "lib" / "link").symlink_to("/etc/passwd")
    with pytest.raises(InvalidValueError, match="the link 'lib/link'"):
        load_agent(agent_in(folder))
    (folder / "lib" / "link").unlink()
    (folder / "everything").symlink_to("/")
    with pytest.raises(InvalidValueError, match="the link 'everything'"):
        load_agent(agent_in(folder))


def test_a_folder_that_is_missing_empty_or_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InvalidValueError, match="is not a folder"):
        load_agent(agent_in(tmp_path / "none"))
    with pytest.raises(InvalidValueError, match="has no files"):
        load_agent(agent_in(tmp_path))
    for name in "abc":
        (tmp_path / name).write_text("x" * 10)
    monkeypatch.setattr(folder_module, "_MOST_FILES", 2)
    with pytest.raises(InvalidValueError, match="it has more"):
        load_agent(agent_in(tmp_path))


@pytest.mark.parametrize("command", ["", "  ", "a\0b", "x" * 4_001])
def test_a_command_that_no_shell_could_run_is_refused(command: str) -> None:
    with pytest.raises(InvalidValueError):
        OwnAgent(command)
