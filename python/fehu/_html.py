"""Pieces of HTML that look right in light and dark notebooks, and without any style sheet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

MONO = "font-family: var(--jp-code-font-family, ui-monospace, monospace); font-size: 13px; line-height: 1.4"
SOFT = "opacity: .65"
RED, AMBER, GREEN, BLUE = "#d1242f", "#b08800", "#2da44e", "#3b82c4"


def pre(text: str) -> str:
    """Text in lines, already HTML, that scrolls sideways where it is too wide."""
    return f'<pre style="{MONO}; margin: 0; padding: 0; white-space: pre; overflow-x: auto; background: none">{text}</pre>'


def soft(text: str) -> str:
    """Text that is not the main thing, already HTML."""
    return f'<span style="{SOFT}">{text}</span>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are HTML, the first column in code."""
    cell = "text-align: left; vertical-align: top; padding: 2px 14px 2px 0; background: none"
    top = "".join(f'<th style="{cell}; font-weight: 600">{name}</th>' for name in head)
    body = "".join("<tr>" + "".join(f'<td style="{cell}">{item}</td>' for item in row) + "</tr>" for row in rows)
    header = f"<thead><tr>{top}</tr></thead>" if head else ""
    return f'<div style="overflow-x: auto"><table style="border-collapse: collapse; margin: 0">{header}<tbody>{body}</tbody></table></div>'


def code(text: str) -> str:
    """A piece of code."""
    return f'<code style="{MONO}; background: none; padding: 0; white-space: pre-wrap">{escape(text)}</code>'
