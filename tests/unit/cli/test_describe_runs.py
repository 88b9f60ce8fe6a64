"""Names, tags and notes of runs."""

from assay.domain.run import State
from tests.unit.cli.conftest import CommandLine, run_named


def test_a_run_is_described_shown_and_found(assay: CommandLine) -> None:
    assay.add_run(run=run_named("aaaa0001"), state=State.SUCCEEDED)
    assay.add_run(run=run_named("bbbb0001"))
    said = assay.printed("describe", "aaaa", "--name", "Night \x1b[2J run", "--tag", "ci", "--tag", "v1")
    assert said == "run aaaa0001\n  name: Night \\x1b[2J run\n  tags: ci, v1\n"
    assay.printed("describe", "aaaa", "--note", "as before", "--untag", "v1")
    shown = assay.printed("show", "aaaa")
    assert "tags: ci\n" in shown
    assert "note: as before\n" in shown
    assert assay.json("show", "aaaa")["tags"] == ["ci"]
    for found in (("--name", "NIGHT"), ("--tag", "ci")):
        listed = assay.printed("list", *found)
        assert "aaaa0001: Night \\x1b[2J run #ci\n" in listed
        assert "bbbb0001" not in listed
    assert "no run matches (2 runs in all)" in assay.printed("list", "--tag", "zzz")


def test_a_run_is_named_when_it_is_started(assay: CommandLine) -> None:
    run = assay.json(
        *("run", "sim/good", "mmlu_pro", "--data", "demo", "--count", "1"),
        *("--name", "first", "--tag", "ci", "--note", "why"),
    )
    assert (run["name"], run["tags"], run["note"]) == ("first", ["ci"], "why")


def test_bad_descriptions_are_refused(assay: CommandLine) -> None:
    assay.add_run(run=run_named("aaaa0001"))
    assert "give --name, --note, --visibility, --tag or --untag" in assay.error("describe", "aaaa")
    assert "not 'two words'" in assay.error("describe", "aaaa", "--tag", "two words")
    assert "at most 200 characters, not 201" in assay.error("describe", "aaaa", "--name", "x" * 201)


def test_an_ended_run_is_not_tuned(assay: CommandLine) -> None:
    assay.add_run(run=run_named("aaaa0001"), state=State.SUCCEEDED)
    assert "run 'aaaa0001' has ended (succeeded)" in assay.error("tune", "aaaa", "--priority", "3")


def test_archived_runs_are_left_out_of_the_list_alone(assay: CommandLine) -> None:
    for start in ("aaaa0001", "bbbb0001"):
        assay.add_run(run=run_named(start), state=State.SUCCEEDED)
    assert "no run 'cccc'" in assay.error("archive", "aaaa", "cccc")
    assert len(assay.json("list")["runs"]) == 2
    assay.printed("describe", "aaaa", "--tag", "old")
    assert assay.printed("archive", "aaaa") == "archived 1 run\n"
    assert [one["run_id"][:4] for one in assay.json("list")["runs"]] == ["bbbb"]
    assert [one["run_id"][:4] for one in assay.json("list", "--archived")["runs"]] == ["aaaa"]
    assert "archived: not in lists" in assay.printed("describe", "aaaa", "--note", "kept")
    assert assay.json("show", "aaaa")["is_archived"] is True
    assert "assay list --archived" in assay.printed("list", "--tag", "old")
    assert assay.json("archive", "aaaa", "bbbb", "--undo")["is_archived"] is False
    assert len(assay.json("list")["runs"]) == 2


def test_who_sees_a_run_is_said_and_written_down(assay: CommandLine) -> None:
    assay.add_run(run=run_named("aaaa0001"))
    assert assay.json("show", "aaaa")["visibility"] == "team"
    described = assay.json("describe", "aaaa", "--visibility", "private")
    assert described["visibility"] == "private"
    assert assay.json("describe", "aaaa", "--name", "kept")["visibility"] == "private"
    [entry] = assay.json("audit")["entries"]
    assert entry["target"].endswith("visibility=private")
