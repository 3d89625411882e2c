"""The kernel: messages of Jupyter on one side, the engine on the other."""

from __future__ import annotations

import base64
import html
import re
import struct
from typing import Any

import numpy as np
from ipykernel.kernelbase import Kernel

from .. import _display, _html, _messages
from .._errors import Error
from .._version import VERSION
from .engine import Engine, EngineGone
from .history import History, usual_place

_RED, _PLAIN = "\x1b[31m", "\x1b[0m"


class FehuKernel(Kernel):
    """The kernel for cells of the language.

    >>> from fehu.kernel.kernel import FehuKernel
    >>> FehuKernel.language_info["file_extension"]
    '.fut'
    """

    implementation = "fehu"
    implementation_version = VERSION
    banner = "fehu: a small, pure, data-parallel array language; :help lists the commands"
    language_info = {
        "name": "futhark",
        "version": "0.28",
        "mimetype": "text/x-futhark",
        "file_extension": ".fut",
        "pygments_lexer": "futhark",
        "codemirror_mode": "haskell",
    }

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)  # type: ignore[no-untyped-call]
        self._engine = Engine()
        self._history = History(usual_place())

    def _ask(self, **members: Any) -> dict[str, Any]:
        """Asks the engine; if it has ended, a new one."""
        try:
            return self._engine.ask(**members)
        except EngineGone:
            self._engine = Engine()
            return self._engine.ask(**members)

    async def do_execute(
        self,
        code: str,
        silent: bool,
        store_history: bool = True,
        user_expressions: dict[str, Any] | None = None,
        allow_stdin: bool = False,
        **_: Any,
    ) -> dict[str, Any]:
        """Takes a cell."""
        if store_history and not silent:
            self._history.add(self.execution_count, code)
        cell = _Cell(self, silent)
        try:
            picture = re.fullmatch(r"\s*:img\s+(.+)", code, re.S)
            request = {"feed": picture.group(1) if picture else code, "elements": picture is not None, "number": self.execution_count}
            with self._engine.getting_interrupts():
                for event in self._engine.request(**request):
                    cell.event(event, picture is not None)
            if code.strip() in (":help", ":h"):
                cell.event({"event": "text", "text": "\nIn notebooks also:\n:img EXPR     show an array as a picture"}, False)
        except EngineGone as gone:
            self._engine = Engine()
            cell.error("EngineGone", f"{gone}; there is a new one, without the declarations so far")
        reply: dict[str, Any] = {"status": "ok", "execution_count": self.execution_count, "payload": cell.payload, "user_expressions": {}}
        if cell.failed is not None:
            reply |= {"status": "error", **cell.failed}
        return reply

    async def do_complete(self, code: str, cursor_pos: int) -> dict[str, Any]:
        """Names in scope, members of modules, commands."""
        found = self._ask(complete=code, at=cursor_pos)
        return {
            "status": "ok",
            "matches": found["candidates"],
            "cursor_start": found["start"],
            "cursor_end": cursor_pos,
            "metadata": {},
        }

    async def do_inspect(self, code: str, cursor_pos: int, detail_level: int = 0, omit_sections: Any = ()) -> dict[str, Any]:
        """The type and the documentation of a name."""
        found = self._ask(inspect=code, at=cursor_pos)
        if found["end"] != "done":
            return {"status": "ok", "found": False, "data": {}, "metadata": {}}
        signature = f"{found['name']} : {found['type']}"
        doc = found["doc"] or ""
        data = {
            "text/plain": f"{signature}\n\n{doc}".strip(),
            "text/html": _html.pre(html.escape(signature)) + "".join(f"<p>{html.escape(part)}</p>" for part in doc.split("\n\n") if part),
        }
        return {"status": "ok", "found": True, "data": data, "metadata": {}}

    async def do_is_complete(self, code: str) -> dict[str, Any]:
        """Whether a cell can be run, needs more, or is wrong."""
        status = self._ask(is_complete=code)["end"]
        return {"status": status, "indent": "  "} if status == "incomplete" else {"status": status}

    async def do_history(
        self,
        hist_access_type: str,
        output: bool,
        raw: bool,
        session: int | None = None,
        start: int | None = None,
        stop: int | None = None,
        n: int | None = None,
        pattern: str | None = None,
        unique: bool = False,
    ) -> dict[str, Any]:
        """Cells of this session and of earlier ones."""
        match hist_access_type:
            case "tail":
                found = self._history.tail(n or 0)
            case "range":
                found = self._history.range(session or 0, start or 0, stop)
            case _:
                found = self._history.search(pattern or "*", n, unique)
        return {"status": "ok", "history": [(s, number, (text, None) if output else text) for s, number, text in found]}

    async def do_shutdown(self, restart: bool) -> dict[str, Any]:
        """Ends the engine; with `restart` there is a new one."""
        self._engine.close()
        if restart:
            self._engine = Engine()
        return {"status": "ok", "restart": restart}


class _Cell:
    """What becomes of a cell: outputs, and how it failed."""

    def __init__(self, kernel: FehuKernel, silent: bool) -> None:
        self._kernel, self._silent = kernel, silent
        self.failed: dict[str, Any] | None = None
        self.payload: list[dict[str, Any]] = []
        self._refused = ""

    def event(self, event: dict[str, Any], picture: bool) -> None:
        """A line of the engine's answer."""
        match event.get("event") or event["end"]:
            case "value" if picture:
                self._picture(event)
            case "value":
                self._send("execute_result", {"execution_count": self._kernel.execution_count, "data": _value(event), "metadata": {}})
            case "text":
                self._send("stream", {"name": "stdout", "text": event["text"] + "\n"})
            case "trace":
                self._send("stream", {"name": "stderr", "text": event["text"] + "\n"})
            case "messages":
                drawn = _messages.draw(event["messages"], event["sources"])
                self._send("display_data", {"data": {"text/plain": event["rendered"], "text/html": drawn}, "metadata": {}})
                errors = [message["message"] for message in event["messages"] if message["severity"] == "error"]
                self._refused = errors[0] if errors else ""
            case "refused":
                self.error("CompileError", self._refused)
            case "failed":
                self.error("ProgramError", event["message"].removeprefix("Error: "))
            case "misused":
                self.error("CommandError", event["message"])
            case "interrupted":
                self.error("KeyboardInterrupt", "interrupted")
            case "quit":
                self.payload.append({"source": "ask_exit", "keepkernel": False})

    def error(self, name: str, value: str) -> None:
        """The cell has failed."""
        first, *rest = value.split("\n")
        self.failed = {"ename": name, "evalue": first, "traceback": [f"{_RED}{name}{_PLAIN}: {first}", *rest]}
        self._send("error", self.failed)

    def _picture(self, event: dict[str, Any]) -> None:
        try:
            array = _array(bytes.fromhex(event.get("elements", "")))
            bundle, metadata = _display.image(array)._repr_mimebundle_()
        except Error as error:
            return self.error("CommandError", f"{error}; this is {event['type'] or event['text']}")
        bundle["image/png"] = base64.b64encode(bundle["image/png"]).decode()
        self._send("display_data", {"data": bundle, "metadata": metadata})

    def _send(self, kind: str, content: dict[str, Any]) -> None:
        if not self._silent:
            self._kernel.send_response(self._kernel.iopub_socket, kind, content)  # type: ignore[no-untyped-call]


def _value(event: dict[str, Any]) -> dict[str, str]:
    """A value as text and as HTML, with its type."""
    text = html.escape(event["text"])
    if event["type"] is None:
        return {"text/plain": event["text"], "text/html": _html.pre(text)}
    name = _html.soft(html.escape(event["type"]))
    short = "\n" not in event["text"] and len(event["text"]) + len(event["type"]) < 70
    drawn = _html.pre(f"{text} {_html.soft(':')} {name}" if short else f"{name}\n{text}")
    return {"text/plain": event["text"], "text/html": drawn}


def _array(data: bytes) -> np.ndarray:
    """An array in the binary form in which programs read and write values: `b`, a version, the rank, four letters of type, the sizes, the elements."""
    if len(data) < 7 or data[0:1] != b"b":
        raise Error("a picture is an array of numbers")
    rank, name = data[2], data[3:7].decode().strip()
    shape = struct.unpack_from(f"<{rank}q", data, 7)
    kind = {"i": "int", "u": "uint", "f": "float"}.get(name[0], "")
    dtype = np.dtype("bool" if name == "bool" else f"{kind}{name[1:]}").newbyteorder("<")
    return np.frombuffer(data, dtype, offset=7 + 8 * rank).reshape(shape)
