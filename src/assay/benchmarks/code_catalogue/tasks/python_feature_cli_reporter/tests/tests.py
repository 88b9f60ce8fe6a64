import io
import json
import os
import subprocess
import sys
from pathlib import Path

from ticket_report.cli import main
from ticket_report.records import Record, RecordError, parse_records
from ticket_report.summary import summarise

HISTORY = """\
# exported on Monday
K-7, backlog, 0
K-3, in_progress, 1.5
K-9, Done, 8

  # moved on Tuesday
K-3 ,REVIEW, 2.25
K-12,done,5.5
K-7,in_progress,  0.75
k-7, done, 4
K-12, review, 6
K-3, Done, 3
"""


def fields(lines):
    return [[one.ticket, one.stage, one.hours] for one in parse_records(lines)]


def fault(line, before=()):
    """Name, line and beginning of the text of the error about a line."""
    try:
        return [repr(one) for one in parse_records([*before, line])]
    except RecordError as error:
        return [type(error).__name__, error.line, str(error)[:8], isinstance(error, ValueError)]


def figures(*records):
    summary = summarise([Record(*one) for one in records])
    return [list(summary.counts.items()), summary.total, summary.average_hours]


def ran(*arguments, stdin=""):
    out, err = io.StringIO(), io.StringIO()
    try:
        status = main(list(arguments), io.StringIO(stdin), out, err)
    except SystemExit as stopped:
        status = f"exit {stopped.code}"
    return [status, out.getvalue(), err.getvalue()]


def test_records(observe):
    observe(
        fields(
            ["T-1,review,2\n", "  T 2 ,\tIn_Progress , 0.25 \r\n", "Ü/3,DONE,1e2", "T-1,backlog,0"]
        )
    )
    observe([repr(one) for one in parse_records(iter(["A,done,7"]))])


def test_skipped_lines(observe):
    observe(
        fields(
            ["# a, done, 3\n", "\n", "   \t\n", "b, done, 4\n", "\t# c, done, 5", "d#, review, 6"]
        )
    )
    observe(fault("e, done", ["# one", "", "f, done, 2", "   # four"]))


def test_malformed_lines(observe):
    lines = (
        "T-1",
        "T-1, done",
        "T-1, done, 3, 4",
        "T-1, done, 3,",
        "  , done, 3",
        "T-1, closed, 3",
        "T-1, , 3",
        "T-1, done, three",
        "T-1, done, ",
        "T-1, done, 1:30",
    )
    for number, line in enumerate(lines):
        observe(fault(line, ["first, done, 0", "", "# second"] * (number % 4)))

    observe([fault(f"T-1, done, {hours}") for hours in ("-0.5", "nan", "inf", "-inf", "1e999")])
    observe(fields([f"T-1, done, {hours}" for hours in ("0", "0.0", "12.125", "1e-3", "+4")]))


def test_summary(observe):
    observe(
        figures(("a", "done", 3.0), ("b", "review", 9.0), ("c", "done", 4.5), ("d", "backlog", 0.0))
    )
    observe(figures())
    observe(figures(("x", "review", 2.0), ("y", "in_progress", 4.0)))


def test_last_record_counts(observe):
    moves = [("a", "backlog", 1.0), ("b", "done", 2.0), ("a", "review", 5.0), ("A", "done", 7.0)]
    observe(figures(*moves))
    observe(figures(*moves, ("b", "review", 8.0), ("a", "done", 12.0)))
    observe(figures(("z", "done", 6.0), ("z", "done", 2.5), ("y", "done", 1.0)))


def test_text_report(observe):
    observe(ran("-", stdin=HISTORY))
    observe(ran("--format", "text", "-", stdin="one, backlog, 3\n# nothing more\ntwo, review, 1"))
    observe(ran("-", stdin=""))


def test_json_report(observe):
    status, out, err = ran("--format", "json", "-", stdin=HISTORY + "K-20, done, 1.1\n")
    observe([status, out.count("\n"), out.endswith("\n"), err])
    found = json.loads(out)
    observe([sorted(found), list(found["counts"].items()), found["total"], found["average_hours"]])
    observe(json.loads(ran("-", "--format=json", stdin="a, review, 5")[1]))


def test_tickets_of_a_stage(observe):
    observe(ran("--stage", "done", "-", stdin=HISTORY))
    observe(ran("--stage", "Review", "-", stdin=HISTORY))
    observe(ran("--stage", "backlog", "-", stdin=HISTORY))
    status, out, err = ran("-", "--stage=DONE", "--format=json", stdin=HISTORY + "K-7,done,9")
    observe([status, json.loads(out), out.count("\n"), err])


def test_malformed_input(observe):
    text = HISTORY + "K-30, lost, 2\nK-31, done"
    for arguments in (["-"], ["--format", "json", "-"], ["--stage", "done", "-"]):
        status, out, err = ran(*arguments, stdin=text)
        observe([status, out, err[:15], err.count("\n")])
    try:
        parse_records(text.splitlines())
    except RecordError as error:
        observe([error.line, ran("-", stdin=text)[2] == f"error: {error}\n"])


def test_files(observe):
    Path("week.txt").write_text(
        "Ärger, done, 2\nT-5, done, 4.5\nT-5, review, 5\n", encoding="utf-8"
    )
    observe(ran("week.txt"))
    observe(ran("--stage", "done", "week.txt", stdin="ignored, done, 1"))
    Path("latin.txt").write_bytes("Ärger, done, 2\n".encode("latin-1"))
    for name in ("missing.txt", "latin.txt", "."):
        status, out, err = ran(name)
        observe([status, out, err[:7], err.count("\n")])


def test_wrong_arguments(observe):
    kept, sys.stderr = sys.stderr, io.StringIO()
    try:
        for arguments in ([], ["--format", "xml", "-"], ["--stage", "closed", "-"], ["-", "more"]):
            observe(ran(*arguments, stdin=HISTORY)[:2])
        observe(ran("--format=text", "--stage", "IN_progress", "-", stdin=HISTORY)[:2])
    finally:
        sys.stderr = kept


def test_program(observe):
    Path("day.txt").write_text("a, done, 3\nb, Review, 1\nc, done, 4\n")
    for arguments, stdin in (
        (["day.txt"], ""),
        (["--stage", "done", "-"], HISTORY),
        (["-"], "a; done; 3"),
    ):
        ended = subprocess.run(
            [sys.executable, "-m", "ticket_report", *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            env={
                **os.environ,
                "PYTHONPATH": str(Path(sys.modules["ticket_report"].__file__).parents[1]),
            },
            timeout=30,
        )
        observe([ended.returncode, ended.stdout, ended.stderr[:14]])
