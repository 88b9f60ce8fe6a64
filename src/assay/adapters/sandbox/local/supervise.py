"""The supervisor's loop: one message from the service at a time, one program at a time."""

import contextlib
import gc
import json
import os
import signal
import socket
import sys
from pathlib import Path

from assay.adapters.sandbox.local import groups, landlock, linux, processes, slots, workspace
from assay.adapters.sandbox.local.conversation import Conversation
from assay.adapters.sandbox.local.frames import Frame
from assay.adapters.sandbox.local.meter import GroupMeter, TreeMeter
from assay.adapters.sandbox.local.orders import Case, Config, Exec, Failed, Get, Open, Put, Ready
from assay.adapters.sandbox.local.program import Bench, Command, ProgramError, Setting, Terms, run
from assay.adapters.sandbox.local.root import Interior
from assay.adapters.sandbox.local.stage import Stage
from assay.adapters.sandbox.local.zygotes import Interpreter, Zygotes
from assay.domain.sandbox import Limits, Mount

_DONE = Frame("done")
_OWN_FAULTS = (OSError, ProgramError, processes.StuckError, workspace.BadPathError)


class Supervisor:
    """Owns one slot for as long as the service keeps its end of the socket open."""

    def __init__(self, talk: Conversation, config: Config) -> None:
        self._talk = talk
        self._slot = slots.claimed(Path(config["root"]))
        self._group = groups.new_group(self._slot.name) if config["mode"] != "unsafe" else None
        if self._group is not None:
            self._slot.note(self._group.folders)
            self._group.enter()
        has_namespace = config["mode"] == "bubblewrap"
        self._stage = Stage(self._slot, has_namespace=has_namespace, has_proc=config["has_proc"])
        terms = Terms(config["mode"], config["bwrap"], self._group is not None)
        meter = GroupMeter(self._group) if self._group else TreeMeter()
        self._bench = Bench(self._stage, terms, meter, talk)
        self._zygotes = Zygotes(self._bench)
        self._setting = Setting()
        # What the files were made for; None once a program may have written to them.
        self._clean_for: object = None

    def serve(self) -> None:
        self._stage.enter()
        # Whatever the collector touches has to be copied in every child.
        gc.collect()
        gc.freeze()
        ready = Ready(uid=self._slot.uid, has_group=self._group is not None, landlock=landlock.abi())
        self._talk.tell(Frame("ready", json.dumps(ready)))
        while (frame := self._talk.next()) is not None:
            try:
                self._talk.tell(self._answer(frame))
            except _OWN_FAULTS as error:
                self._talk.tell(_failed(error))

    def close(self) -> None:
        self._zygotes.close()
        with contextlib.suppress(processes.StuckError):
            processes.reap_all(wanted=0)
        self._stage.leave()
        if self._group is not None:
            self._group.leave()
        slots.released(self._slot)

    def _answer(self, frame: Frame) -> Frame:
        if frame.name == "exec":
            return self._exec(json.loads(frame.text), frame.body)
        if frame.name == "case":
            return self._case(json.loads(frame.text), frame.body)
        if frame.name == "get":
            return self._get(json.loads(frame.text))
        if frame.name == "open":
            self._open(json.loads(frame.text))
        elif frame.name == "put":
            self._put(json.loads(frame.text), frame.body)
        elif frame.name == "program":
            self._zygotes.load(frame.body)
        return _DONE

    def _open(self, order: Open) -> None:
        self._slot.keep_fresh()
        limits = Limits(**order["limits"])
        mounts = tuple(Mount(*pair) for pair in order["mounts"])
        links = tuple((target, path) for target, path in order["links"])
        interior = Interior(mounts, links, order["has_network"])
        wanted = (limits.disk_bytes, limits.inodes, interior, interior.sources())
        if wanted == self._clean_for:
            self._stage.clear()
        else:
            # A program has written here, or others are wanted: new files, and no zygote that sees the old.
            self._zygotes.close()
            self._stage.renew(limits, interior)
            self._clean_for = wanted
        self._setting = Setting(interior, order["env"])
        self._zygotes.use(Interpreter(self._setting, order["python"], tuple(order["preload"])))

    def _put(self, order: Put, body: bytes) -> None:
        files: dict[str, bytes] = {}
        start = 0
        for name, size in order["files"]:
            files[name] = body[start : start + size]
            start += size
        workspace.put(self._stage.workspace, files, self._stage.owner)

    def _exec(self, order: Exec, stdin: bytes) -> Frame:
        self._clean_for = None
        limits = Limits(**order["limits"])
        command = Command(order["argv"], order["cwd"], order["env"], limits, stdin)
        return run(self._bench, self._setting, command, spare=self._zygotes.spared)

    def _case(self, order: Case, stdin: bytes) -> Frame:
        if self._talk.has_cancel:
            return Frame("canceled")
        return self._zygotes.case(Limits(**order["limits"]), stdin)

    def _get(self, order: Get) -> Frame:
        found = workspace.collected(self._stage.workspace, **order)
        listed = Put(files=[(name, len(content)) for name, content in found.items()])
        return Frame("files", json.dumps(listed), b"".join(found.values()))


def _failed(error: Exception) -> Frame:
    return Frame("failed", json.dumps(Failed(message=str(error) or type(error).__name__)))


def main() -> None:
    """Serve the socket and the configuration that the command line names, until the other end closes."""
    control, config = socket.socket(fileno=int(sys.argv[1])), sys.argv[2]
    control.set_inheritable(False)
    os.setsid()
    os.umask(0o022)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    linux.become_subreaper()
    talk = Conversation(control)
    try:
        supervisor = Supervisor(talk, json.loads(config))
    except (OSError, slots.SlotError) as error:
        talk.tell(_failed(error))
        return
    try:
        supervisor.serve()
    except _OWN_FAULTS as error:
        with contextlib.suppress(OSError):
            talk.tell(_failed(error))
    finally:
        supervisor.close()
