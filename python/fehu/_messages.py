"""Messages of the compiler as HTML: the lines of the source, with the places underlined and what is said of them below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

from . import _html
from ._html import AMBER, BLUE, GREEN, RED

_MOST_LINES = 6


def draw(messages: Iterable[Mapping[str, Any]], sources: Mapping[str, str]) -> str:
    """All messages, as `fehu check --format=json` writes them; `sources` are the texts of files that are on no disk."""
    drawn = "".join(f'<div style="margin: 4px 0 10px 0">{_message(message, sources)}</div>' for message in messages)
    return f'<div class="fehu-messages">{drawn}</div>'


def _message(message: Mapping[str, Any], sources: Mapping[str, str]) -> str:
    colour = RED if message["severity"] == "error" else AMBER
    head = (
        f'<b style="color: {colour}">{escape(message["severity"])}</b>'
        f"{_html.soft('[' + escape(message['code']) + ']') if message['code'] else ''}: <b>{escape(message['message'])}</b>"
    )
    lines = [head]
    by_file: dict[str, list[Mapping[str, Any]]] = {}
    for span in message["spans"]:
        by_file.setdefault(span["file"], []).append(span)
    for file, spans in by_file.items():
        first = next((span for span in spans if span["primary"]), spans[0])
        lines.append(_html.soft(f"  --> {escape(file)}:{first['line']}:{first['column']}"))
        lines += _excerpt(_text(file, sources), spans, colour)
    for kind in ("note", "help"):
        for text in message["notes"] if kind == "note" else message["help"]:
            lines.append(f'  <b style="color: {BLUE}">{kind}</b>: {_indented(text)}')
    for fix in message["fixes"]:
        lines.append(f'  <b style="color: {GREEN}">fix</b>: {_indented(fix["message"])}')
        lines += _fixed(fix["edits"], sources)
    return _html.pre("\n".join(lines))


def _indented(text: str) -> str:
    return escape(text).replace("\n", "\n        ")


def _text(file: str, sources: Mapping[str, str]) -> list[str]:
    text = sources.get(file)
    if text is None:
        try:
            text = Path(file).read_text("utf-8")
        except (OSError, ValueError):
            return []
    return text.split("\n")


def _number(number: int | str) -> str:
    return _html.soft(f"{number:>5} | ")


def _excerpt(text: list[str], spans: list[Mapping[str, Any]], colour: str) -> list[str]:
    """The lines that the places are on; what is said of a place stands below its first line."""
    wanted: list[int] = []
    for span in spans:
        wanted += range(span["line"], min(span["end_line"], span["line"] + _MOST_LINES) + 1)
    found: list[str] = []
    before = 0
    for number in sorted(set(wanted)):
        if number > len(text):
            continue
        if before and number > before + 1:
            found.append(_number("..."))
        before = number
        line = text[number - 1]
        found.append(_number(number) + _underlined(line, number, spans, colour))
        for span in sorted(spans, key=lambda span: -int(span["column"])):
            if span["line"] == number and span["label"]:
                # Tabs stay, so that it stands below its place.
                indent = "".join("\t" if c == "\t" else " " for c in line[: span["column"] - 1])
                of = colour if span["primary"] else BLUE
                label = escape(span["label"]).replace("\n", "\n" + " " * 8 + indent + "  ")
                found.append(_number("") + f'{indent}<span style="color: {of}">↑ {label}</span>')
    return found


def _underlined(line: str, number: int, spans: list[Mapping[str, Any]], colour: str) -> str:
    """A line with its places underlined, waves for the one that matters most."""
    styles: list[str] = [""] * len(line)
    for span in sorted(spans, key=lambda span: bool(span["primary"])):
        if not span["line"] <= number <= span["end_line"]:
            continue
        start = span["column"] - 1 if number == span["line"] else len(line) - len(line.lstrip())
        end = span["end_column"] - 1 if number == span["end_line"] else len(line)
        style = f"wavy underline {colour}" if span["primary"] else f"underline {BLUE}"
        for at in range(start, max(end, start + 1)):
            if at < len(line):
                styles[at] = style
    out, at = "", 0
    while at < len(line):
        end = at
        while end < len(line) and styles[end] == styles[at]:
            end += 1
        part = escape(line[at:end])
        decoration = f"text-decoration: {styles[at]}; text-decoration-skip-ink: none; text-underline-offset: 3px"
        out += f'<span style="{decoration}">{part}</span>' if styles[at] else part
        at = end
    return out


def _fixed(edits: list[Mapping[str, Any]], sources: Mapping[str, str]) -> list[str]:
    """The lines of a fix as they would be, if each edit is within a line."""
    lines: dict[tuple[str, int], str] = {}
    for edit in sorted(edits, key=lambda edit: (edit["line"], -int(edit["column"]))):
        text = _text(edit["file"], sources)
        if edit["line"] != edit["end_line"] or edit["line"] > len(text) or "\n" in edit["text"]:
            return []
        place = (edit["file"], edit["line"])
        line = lines.get(place, text[edit["line"] - 1])
        lines[place] = line[: edit["column"] - 1] + edit["text"] + line[edit["end_column"] - 1 :]
    return [_number(number) + f'<span style="color: {GREEN}">{escape(line)}</span>' for (_, number), line in lines.items()]
