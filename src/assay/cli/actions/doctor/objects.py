"""Whether the object store, where one is set, takes a file, gives it back and removes it."""

from uuid import uuid4

from assay.cli.actions.doctor.finding import Finding
from assay.domain.errors import AssayError
from assay.installation import objects, version
from assay.settings import Settings

_WHAT = "object store"


def examine_objects(settings: Settings) -> Finding:
    where = settings.assay_object_store
    try:
        shared = objects(settings)
        if shared is None:
            return Finding(_WHAT, "ok", "none: files stay in the data folder, for one machine")
        name, content = f"probe/{uuid4().hex}", version().encode()
        shared.put(name, content)
        found = shared.read(name)
        shared.remove([name])
    except AssayError as error:
        state, _, remedy = error.message.partition("; ")
        return Finding(_WHAT, "failure", state, remedy)
    if found != content:
        return Finding(_WHAT, "failure", f"{where} gave back something else than it was given")
    return Finding(_WHAT, "ok", f"{where}: written, read and removed a file")
