"""A Jupyter kernel for the language itself, on the engine of `fehu repl`.

    python -m fehu.kernel install --user

Cells hold declarations, expressions and commands, one after the other; declaring a name again shadows it. Values are shown with their types.
`:help` lists the commands; `:img EXPR` shows an array as a picture. The class of the kernel is in `fehu.kernel.kernel`; importing
this package needs nothing of Jupyter.
"""
