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
from assay.adapters.sandbox.local.frames import Frame
from assay.adapters.sandbox.local.messages import Case, Config, Exec, Failed, Get, Open, Put, Ready
from assay.adapters.sandbox.local.meter import GroupMeter, TreeMeter
from assay.adapters.sandbox.local.program import (
    Command,
    ConfinementTerms,
    ProgramError,
    SessionContext,
    SlotContext,
    run,
)
from assay.adapters.sandbox.local.root import SessionMounts
from assay.adapters.sandbox.local.service_link import ServiceLink
from assay.adapters.sandbox.local.slot_folders import SlotFolders
from assay.adapters.sandbox.local.zygotes import Interpreter, Zygotes
from assay.domain.programs.sandbox import Limits, Mount

_DONE = Frame("done")
_OWN_FAULTS = (OSError, ProgramError, processes.StuckError, workspace.BadPathError)


class Supervisor:
    """Owns one slot for as long as the service keeps its end of the socket open."""

    def __init__(self, link: ServiceLink, config: Config) -> None:
        self._link = link
        self._slot = slots.claim_slot(Path(config["root"]))
        self._group = groups.new_group(self._slot.name) if config["mode"] != "unsafe" else None
        if self._group is not None:
            self._slot.note(self._group.folders)
            self._group.enter()
        has_namespace = config["mode"] == "bubblewrap"
        self._folders = SlotFolders(self._slot, has_namespace=has_namespace, has_proc=config["has_proc"])
        terms = ConfinementTerms(config["mode"], config["bwrap"], self._group is not None)
        meter = GroupMeter(self._group) if self._group else TreeMeter()
        self._context = SlotContext(self._folders, terms, meter, link)
        self._zygotes = Zygotes(self._context)
        self._session = SessionContext()
        # What the folders were prepared for; None once a program may have written to them.
        self._clean_for: object = None

    def serve(self) -> None:
        self._folders.enter()
        # The garbage collector would touch pages that children share with this process.
        gc.collect()
        gc.freeze()
        ready = Ready(uid=self._slot.uid, has_group=self._group is not None, landlock=landlock.abi())
        self._link.send(Frame("ready", json.dumps(ready)))
        while (frame := self._link.next()) is not None:
            try:
                self._link.send(self._answer(frame))
            except _OWN_FAULTS as error:
                self._link.send(_failed(error))

    def close(self) -> None:
        self._zygotes.close()
        with contextlib.suppress(processes.StuckError):
            processes.reap_all(wanted=0)
        self._folders.leave()
        if self._group is not None:
            self._group.leave()
        slots.release_slot(self._slot)

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
        session_mounts = SessionMounts(mounts, links, order["has_network"])
        wanted = (limits.disk_bytes, limits.inodes, session_mounts, session_mounts.sources())
        if wanted == self._clean_for:
            self._folders.clear()
        else:
            # A program has written here, or other mounts are needed: new folders, and a new zygote.
            self._zygotes.close()
            self._folders.renew(limits, session_mounts)
            self._clean_for = wanted
        self._session = SessionContext(session_mounts, order["env"])
        self._zygotes.use(Interpreter(self._session, order["python"], tuple(order["preload"])))

    def _put(self, order: Put, body: bytes) -> None:
        files: dict[str, bytes] = {}
        start = 0
        for name, size in order["files"]:
            files[name] = body[start : start + size]
            start += size
        workspace.put(self._folders.workspace, files, self._folders.owner)

    def _exec(self, order: Exec, stdin: bytes) -> Frame:
        self._clean_for = None
        limits = Limits(**order["limits"])
        command = Command(order["argv"], order["cwd"], order["env"], limits, stdin)
        return run(self._context, self._session, command, spare=self._zygotes.spared)

    def _case(self, order: Case, stdin: bytes) -> Frame:
        if self._link.has_cancel:
            return Frame("canceled")
        return self._zygotes.case(Limits(**order["limits"]), stdin)

    def _get(self, order: Get) -> Frame:
        found = workspace.collected(self._folders.workspace, **order)
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
    link = ServiceLink(control)
    try:
        supervisor = Supervisor(link, json.loads(config))
    except (OSError, slots.SlotError) as error:
        link.send(_failed(error))
        return
    try:
        supervisor.serve()
    except _OWN_FAULTS as error:
        with contextlib.suppress(OSError):
            link.send(_failed(error))
    finally:
        supervisor.close()
