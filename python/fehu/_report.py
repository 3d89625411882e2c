"""What the optimiser made of a program: `fehu report`, as text, as data and as a picture."""

from __future__ import annotations

import itertools
import json
import os
import re
from pathlib import Path
from typing import Any

from ._compile import _diagnostics, _run
from ._errors import CompileError
from ._module import Function, Module

_numbers = itertools.count()


def report(program: Module | Function | str | os.PathLike[str]) -> Report:
    """What the optimiser made of a program: which operators were fused, which arrays are made and copied, how much memory it needs, and what is
    checked at run time. `program` is a module, a function, the text of a program, or the path of a file.

    >>> found = fehu.report("entry f (xs: []f32) : f32 = f32.sum (map (* 2) xs)")
    >>> found.data["summary"]["operators_before"], found.data["summary"]["operators_after"]
    (2, 1)
    """
    if isinstance(program, Function):
        program = program.module
    if isinstance(program, Module):
        return Report("-", program.source, program.name)
    if isinstance(program, os.PathLike) or ("\n" not in program and program.endswith(".fut")):
        return Report(os.fspath(program), None, Path(program).stem)
    return Report("-", str(program), "program")


class Report:
    """A report: `str()` is the text, `data` the same as data, `page` an HTML page; notebooks draw it.

    >>> print(fehu.report("entry f (x: i32) = x"))  # doctest: +ELLIPSIS
    program...
    """

    def __init__(self, file: str, source: str | None, name: str) -> None:
        self._file, self._source, self._name = file, source, name
        self.data: dict[str, Any] = json.loads(self._made("--json", "-"))

    def _made(self, *arguments: str) -> str:
        shown = f"<{self._name}>"
        done = _run(["report", *arguments, self._file], self._source)
        if done.returncode != 0:
            raise CompileError(done.stderr.replace("<stdin>", shown).strip(), _diagnostics(self._file, self._source, shown), {shown: self._source or ""})
        return done.stdout.replace("<stdin>", self._name).replace("&lt;stdin&gt;", self._name)

    def __str__(self) -> str:
        return self._made("--color=never").strip()

    def __repr__(self) -> str:
        return str(self)

    @property
    def page(self) -> str:
        """The whole HTML page, which needs nothing from elsewhere."""
        return self._made("--html", "-")

    def _repr_html_(self) -> str:
        return embedded(self.page)


def embedded(page: str) -> str:
    """The page as a part of another one: its style is for this part only, and so are its links."""
    prefix = f"fehu{next(_numbers)}-"
    style = page[page.index("<style>") + len("<style>") : page.index("</style>")]
    body = page[page.index("<body>") + len("<body>") : page.index("</body>")]
    # Inside of a rule for the part, its root and its body are the part itself.
    style = re.sub(r"(:root|\bbody) \{", "& {", style)
    body = re.sub(r'(id="|href="#)(f\d)', rf"\1{prefix}\2", body)
    # JupyterLab changes the addresses of all links, which those of pictures do not allow.
    body = re.sub(r"<svg.*?</svg>", lambda svg: re.sub(r"</?a\b[^>]*>", "", svg[0]), body, flags=re.DOTALL)
    own = "& { margin: 0; padding: 0.5em 1em; max-width: 100%; } & h1 { margin: 0 0 0.4em 0; } & table { margin: 0; font-size: 13px; }"
    own += "& tr, & td, & pre { background: none; text-align: left; } & th { text-align: right; font-weight: 400; } & li { margin: 0; } & pre { word-break: normal; overflow-wrap: anywhere; }"
    # More often than once, so that it counts more than the style of the page around it.
    selector = f".{prefix}report" * 3
    return f'<div class="{prefix}report"><style>{selector} {{{style}{own}}}</style>{body}</div>'
