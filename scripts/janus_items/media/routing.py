"""Ten requests, each of which suits one form of reply: a call, data, a drawing or words."""

from scripts.janus_items.media import pictures
from scripts.janus_items.media.canvas import Canvas
from scripts.janus_items.task import Task
from scripts.janus_items.tools.drawn import drawn_id

_TOOLS = ["print_file", "create_event", "send_message", "convert_units", "get_weather"]
_HANA = drawn_id("emp", "Hana Kobayashi Engineering")
_EVENT = [
    ["WHAT", "HALL CLEANING"],
    ["DATE", "2026-03-06"],
    ["BEGINS", "16:30"],
    ["MINUTES", "45"],
]
_CRATES = [["CRATE", "KG", "TO"], ["K1", "48", "CORK"], ["K2", "115", "RIGA"], ["K3", "62", "CORK"]]
_GRID = ["..R.", "B..R", ".R.."]
_ROW = [
    ("square", "orange", 50, 60, 22), ("circle", "purple", 130, 60, 22), ("triangle", "green", 210, 60, 24),
    ("square", "red", 280, 60, 18),
]  # fmt: skip


def tasks() -> list[Task]:
    return [
        _task("Two copies of notes/ideas.txt, from the printer at the reception, please.",
              {"form": "call", "calls": [[_call("print_file", path="notes/ideas.txt", printer="reception", copies=2)]]}),
        _task("The form in the picture should stand in our calendar.",
              {"form": "call", "calls": [[_call("create_event", ["title"], title="Hall cleaning", date="2026-03-06",
                                               start_time="16:30", duration_minutes=45)]]},
              [pictures.table([["FIELD", "VALUE"], *_EVENT], [110, 190])]),
        _task(f"Let {_HANA} know, word for word: The crane is free at noon",
              {"form": "call", "calls": [[_call("send_message", employee_id=_HANA, text="The crane is free at noon")]]}),
        _task("My program needs this order as an object with the keys item, quantity and express: 'Hello, please send us thirty"
              " hoses H-38, there is no hurry.' The item is its letter and number alone, as a text.",
              {"form": "json", "json": {"item": "H-38", "quantity": 30, "express": False}}),
        _task("Turn the table into input for a program: a list with one object for each crate, with the keys crate (text), kg"
              " (number) and to (text), spelled as in the table and in its order.",
              {"form": "json", "json": [{"crate": one, "kg": int(kg), "to": to} for one, kg, to in _CRATES[1:]]},
              [pictures.table(_CRATES, [90, 70, 90])]),
        _task("A script reads your reply. It wants the names of all red cells, such as A1, as a list of texts in alphabetical"
              " order.",
              {"form": "json", "json": ["B3", "C1", "D2"]}, [pictures.grid(_GRID, {"R": "red", "B": "blue"})]),
        _task("I need a little figure for a slide, 120 by 80: a red circle with the radius 20 on the left and a blue square with"
              " sides of 40 on the right, at one height and not touching.",
              {"form": "drawing", "view": [120, 80],
               "shapes": [{"shape": "circle", "fill": "red", "size": [40, 40]},
                          {"shape": "square", "fill": "blue", "size": [40, 40]}],
               "rules": ["left_to_right", "in_a_row", "apart"]},
              expected='<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 80"><circle cx="30" cy="40" r="20" fill="red"/>'
              '<rect x="70" y="20" width="40" height="40" fill="blue"/></svg>'),
        _task("Make a clean copy of this sketch for print, 300 by 120, with the same shapes from left to right in the colours"
              " orange, purple and green, but without the red one. They need not stand where they stand there, only at one"
              " height, and must not touch.",
              {"form": "drawing", "view": [300, 120],
               "shapes": [{"shape": "square", "fill": "orange"}, {"shape": "circle", "fill": "purple"},
                          {"shape": "triangle", "fill": "green"}],
               "rules": ["left_to_right", "apart", "in_a_row"]},
              [pictures.scene(320, 120, _ROW)],
              expected='<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 120">'
              '<rect x="20" y="40" width="40" height="40" fill="orange"/><circle cx="130" cy="60" r="22" fill="purple"/>'
              '<polygon points="200,80 240,80 220,40" fill="green"/></svg>'),
        _task("A colleague on the phone asks: which colour is the shape just to the left of the triangle? Tell me what to say.",
              {"form": "words"}, [pictures.scene(320, 120, _ROW)], expected="purple"),
        _task("Somebody asks how many minutes three hours and 25 minutes are. Tell me what to say.",
              {"form": "words"}, expected=205),
    ]  # fmt: skip


def _task(
    prompt: str, evaluation: Task, images: list[Canvas] | None = None, *, expected: object = None
) -> Task:
    return {
        "task_type": "modality_routing",
        "prompt": prompt,
        **({"images": [one.url() for one in images]} if images else {}),
        "available_tools": _TOOLS,
        **({} if expected is None else {"expected_answer": expected}),
        "evaluation": evaluation,
    }


def _call(tool: str, open_: list[str] | None = None, **arguments: object) -> Task:
    return {"function": tool, "arguments": arguments, **({"open": open_} if open_ else {})}
