"""Runs a program on a pseudo-terminal: `on_terminal.py PROGRAM ARGS...`.

What is written to our standard input are the keys that are pressed, and what appears on the terminal goes to our standard
output. Keys are not echoed, but for what the program itself shows. The exit status is the program's, 128 and more for a signal.
"""

import os
import pty
import select
import sys
import termios

child, terminal = pty.fork()
if child == 0:
    modes = termios.tcgetattr(0)
    modes[3] &= ~termios.ECHO
    termios.tcsetattr(0, termios.TCSANOW, modes)
    os.execv(sys.argv[1], sys.argv[1:])

sources = [terminal, 0]
while True:
    ready, _, _ = select.select(sources, [], [])
    if 0 in ready:
        keys = os.read(0, 4096)
        if not keys:
            sources.remove(0)
        while keys:
            keys = keys[os.write(terminal, keys):]
    if terminal in ready:
        try:
            shown = os.read(terminal, 4096)
        except OSError:
            # This is how Linux says that nobody has the terminal open any more.
            break
        if not shown:
            break
        while shown:
            shown = shown[os.write(1, shown):]
_, status = os.waitpid(child, 0)
code = os.waitstatus_to_exitcode(status)
sys.exit(code if code >= 0 else 128 - code)
