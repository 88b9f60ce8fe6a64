"""Tools of an office: documents, colleagues, the calendar and files."""

from typing import Any

from assay.benchmarks.janus.tools.errors import ToolError
from assay.benchmarks.janus.tools.world import Entry, World, best_matches, entry_with, new_id

_SNIPPET_CHARACTERS = 120
_DAY_MINUTES = 24 * 60


def search_documents(world: World, query: str, limit: int) -> list[Entry]:
    found = best_matches(world.documents, ("title", "text"), query, most=limit)
    return [
        {"doc_id": one["doc_id"], "title": one["title"], "snippet": one["text"][:_SNIPPET_CHARACTERS] + "…"}
        for one in found
    ]


def read_document(world: World, doc_id: str) -> Entry:
    return entry_with(world.documents, "doc_id", doc_id)


def find_employee(world: World, name: str) -> list[Entry]:
    found = best_matches(world.employees, ("name",), name, most=5)
    return [{key: one[key] for key in ("employee_id", "name", "team")} for one in found]


def get_employee(world: World, employee_id: str) -> Entry:
    return entry_with(world.employees, "employee_id", employee_id)


def list_events(world: World, date: str) -> list[Entry]:
    found = [one for one in world.events if one["date"] == date]
    return [{key: one[key] for key in ("event_id", "title", "start_time")} for one in found]


def get_event(world: World, event_id: str) -> Entry:
    return entry_with(world.events, "event_id", event_id)


def create_event(world: World, title: str, date: str, start_time: str, duration_minutes: int) -> Entry:
    start = _minutes(start_time)
    end = start + duration_minutes
    if end > _DAY_MINUTES:
        raise ToolError("an event must end on the day on which it begins")
    for other in (one for one in world.events if one["date"] == date):
        begins = _minutes(other["start_time"])
        if begins < end and start < begins + other["duration_minutes"]:
            raise ToolError(
                f"{start_time} on {date} clashes with {other['title']!r} ({other['start_time']},"
                f" {other['duration_minutes']} minutes): choose another start_time"
            )
    event: Entry = {
        "event_id": new_id("evt", date, start_time, duration_minutes),
        "title": title,
        "date": date,
        "start_time": start_time,
        "duration_minutes": duration_minutes,
        "attendees": [],
    }
    world.events.append(event)
    return event


def add_attendee(world: World, event_id: str, email: str) -> Entry:
    event = entry_with(world.events, "event_id", event_id)
    person = entry_with(world.employees, "email", email)
    attendees: list[Any] = event["attendees"]
    if person["email"] in attendees:
        raise ToolError(f"{person['email']} attends already")
    attendees.append(person["email"])
    return {"event_id": event["event_id"], "attendees": list(attendees)}


def list_files(world: World, folder: str) -> list[str]:
    prefix = folder.strip("/") + "/" if folder.strip("/ .") else ""
    found = [path for path in sorted(world.files) if path.startswith(prefix)]
    if not found:
        folders = sorted({path.rpartition("/")[0] for path in world.files})
        raise ToolError(f"there is no folder {folder!r}; there are {', '.join(folders)}")
    return found


def read_file(world: World, path: str) -> str:
    if path not in world.files:
        raise ToolError(f"there is no file {path!r}: list_files shows those that exist")
    return world.files[path]


def write_file(world: World, path: str, content: str) -> Entry:
    world.write_file(path, content)
    return {"path": path, "bytes": len(content.encode())}


def send_message(world: World, employee_id: str, text: str) -> Entry:
    person = entry_with(world.employees, "employee_id", employee_id)
    return {
        "message_id": new_id("msg", person["employee_id"]),
        "sent_to": person["email"],
        "characters": len(text),
    }


def print_file(world: World, path: str, printer: str, copies: int) -> Entry:
    read_file(world, path)
    return {"job_id": new_id("job", path, printer, copies), "status": "printed"}


def _minutes(time: str) -> int:
    hours, _, minutes = time.partition(":")
    return 60 * int(hours) + int(minutes)
