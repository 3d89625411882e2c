"""Writes the reference of the package, `docs/book/src/python-reference.md`, from its docstrings: `python python/packaging/reference.py docs/book/src/python-reference.md`.

The package has to be installed. A test compares what this writes with the file.
"""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from typing import Any

import fehu
import fehu.dask
import fehu.kernel
import fehu.notebook
import fehu.partition

GROUPS = {
    "Programs": ["compile", "define", "Module", "Function", "Type", "Types", "Recipe", "stubs", "executable", "cuda_devices"],
    "Values": ["Value", "Array", "FileChunks", "Pieces", "Stream", "Later"],
    "Derivatives and batches": ["grad", "value_and_grad", "vjp", "vmap"],
    "Notebooks": ["show", "Shown", "image", "Picture", "report", "Report", "Profile", "progress"],
    "What can go wrong": [
        "Error", "CompileError", "CompileWarning", "Diagnostic", "ArgumentError", "RangeError", "ProgramError", "OutOfMemory", "Unavailable",
    ],
}


def reference() -> str:
    """The whole page."""
    others = sorted(set(fehu.__all__) - {name for names in GROUPS.values() for name in names})
    groups = GROUPS | ({"Others": others} if others else {})
    parts = ["# The Python package: reference", "", "<!-- Written by python/packaging/reference.py from the docstrings. -->", "", fehu.__doc__ or "", ""]
    parts += ["In the examples, `fehu` and `numpy` (as `np`) are imported.", ""]
    for title, names in groups.items():
        parts += [f"## {title}", ""]
        for name in names:
            parts += _described(name, getattr(fehu, name))
    for module in (fehu.notebook, fehu.kernel, fehu.dask, fehu.partition):
        parts += [f"## `{module.__name__}`", "", _markdown(module.__doc__ or ""), ""]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts)).rstrip() + "\n"


def _described(name: str, item: Any) -> list[str]:
    parts = [f"### `{name}`", ""]
    signature = _signature(item)
    if signature and not (inspect.isclass(item) and not issubclass(item, fehu.progress | fehu.FileChunks | fehu.Pieces)):
        parts += [f"```python\nfehu.{name}{signature}\n```", ""]
    parts += [_markdown(inspect.getdoc(item) or ""), ""]
    if inspect.isclass(item):
        rows = [row for member in sorted(vars(item)) if (row := _member(item, member))]
        if rows:
            parts += ["| | |", "| --- | --- |", *rows, ""]
    return parts


def _signature(item: Any) -> str:
    try:
        # Quotes around annotations are of no use to readers.
        return str(inspect.signature(item)).replace("'", "")
    except (TypeError, ValueError):
        return ""


def _member(item: type, name: str) -> str | None:
    """A public method or property of a class, as a row."""
    member = inspect.getattr_static(item, name)
    if name.startswith("_") or not (callable(member) or isinstance(member, property) or inspect.isdatadescriptor(member)):
        return None
    doc = (inspect.getdoc(member) or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
    signature = re.sub(r"\((self|\$self|/)(, /)?(, )?", "(", _signature(member)) if callable(member) else ""
    return f"| `{name}{signature}` | {doc} |" if doc else None


def _markdown(doc: str) -> str:
    """Examples as code."""
    out: list[str] = []
    example = fenced = False
    for line in inspect.cleandoc(doc).split("\n"):
        if line.startswith("```"):
            fenced = not fenced
            continue
        if not example and (line.startswith(">>>") or line.startswith("    ")):
            out.append("```python")
            example = True
        elif example and not line.strip():
            out.append("```")
            example = False
        out.append(re.sub(r"  # doctest: \+\w+$", "", line[4:] if line.startswith("    ") and not out[-1].startswith(">>>") else line))
    if example:
        out.append("```")
    return "\n".join(out)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(reference(), "utf-8")
