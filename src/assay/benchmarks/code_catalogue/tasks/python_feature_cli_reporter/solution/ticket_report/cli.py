"""The command `python -m ticket_report`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from ticket_report.records import STAGES, Record, RecordError, parse_records
from ticket_report.summary import Summary, latest_records, summarise


def main(
    arguments: Sequence[str] | None = None,
    stdin: TextIO | None = None,
    stdout: TextIO | None = None,
    stderr: TextIO | None = None,
) -> int:
    """Print a report on the tickets of a file; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        records = parse_records(_lines(options.file, stdin or sys.stdin))
    except (RecordError, OSError) as error:
        print(f"error: {error}", file=stderr or sys.stderr)
        return 2
    except UnicodeDecodeError:
        print(f"error: {options.file} is not UTF-8", file=stderr or sys.stderr)
        return 2
    print(_report(records, options.stage, options.format), file=stdout or sys.stdout, end="")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="ticket_report", description="Report on tickets.")
    parser.add_argument("file", metavar="FILE", help="file with records, or - for standard input")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--stage", type=str.lower, choices=STAGES, help="list tickets of a stage")
    return parser


def _lines(file: str, stdin: TextIO) -> list[str]:
    # Not splitlines(): it would also break lines at form feeds and other characters.
    text = stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    return text.split("\n")


def _report(records: list[Record], stage: str | None, form: str) -> str:
    if stage is None:
        summary = summarise(records)
        return _json(vars(summary)) if form == "json" else _table(summary)
    tickets = [record.ticket for record in latest_records(records) if record.stage == stage]
    return _json(tickets) if form == "json" else "".join(f"{name}\n" for name in tickets)


def _json(value: object) -> str:
    return json.dumps(value) + "\n"


def _table(summary: Summary) -> str:
    average = "-" if summary.average_hours is None else f"{summary.average_hours:.2f} h"
    rows = {**summary.counts, "total": summary.total, "average": average}
    return "".join(f"{name:<12} {value}\n" for name, value in rows.items())
