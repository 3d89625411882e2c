"""What was typed in earlier sessions: a line of JSON for each cell, in the folder that the system has for such things."""

from __future__ import annotations

import fnmatch
import json
import os
from pathlib import Path

Entry = tuple[int, int, str]


class History:
    """The cells of this session and of earlier ones: the number of the session, that of the cell, and its text."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.entries: list[Entry] = []
        try:
            lines = path.read_text("utf-8").splitlines() if path else []
        except OSError:
            lines = []
        for line in lines:
            try:
                session, number, text = json.loads(line)
                self.entries.append((int(session), int(number), str(text)))
            except ValueError:
                continue  # half a line of a session that was killed
        self.session = max((entry[0] for entry in self.entries), default=0) + 1

    def add(self, number: int, text: str) -> None:
        """Remembers a cell."""
        entry = (self.session, number, text)
        self.entries.append(entry)
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(entry) + "\n")
        except OSError:
            self._path = None  # a history that cannot be written is no reason to bother anybody

    def tail(self, count: int) -> list[Entry]:
        """The last cells."""
        return self.entries[-count:] if count > 0 else []

    def range(self, session: int, start: int, stop: int | None) -> list[Entry]:
        """Cells of a session; 0 is this one, and negative ones are before it."""
        session = session if session > 0 else self.session + session
        return [entry for entry in self.entries if entry[0] == session and start <= entry[1] and (stop is None or entry[1] < stop)]

    def search(self, pattern: str, count: int | None, unique: bool) -> list[Entry]:
        """The last cells that a pattern with `*` and `?` matches."""
        found = [entry for entry in self.entries if fnmatch.fnmatchcase(entry[2], pattern)]
        if unique:
            found = sorted({entry[2]: entry for entry in found}.values())
        return found if count is None else found[-count:]


def usual_place() -> Path | None:
    """Where the history is: `FEHU_NOTEBOOK_HISTORY`, which may be empty, or a file in the user's folder for such things."""
    named = os.environ.get("FEHU_NOTEBOOK_HISTORY")
    if named is not None:
        return Path(named) if named else None
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "fehu" / "notebook_history"
