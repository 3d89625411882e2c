#!/usr/bin/env python3
"""How long `fehu lsp` takes to answer: for a program of 2,000 and one of 10,000 lines, made of functions that use each other, the
time from an edit to the messages, and from requests to answers, without and right after an edit.

    bench/lsp.py [FEHU]

The median and the worst of 20 are printed, in milliseconds, and the processor time of the server for one, which says more on a
busy machine. FEHU is target/release/fehu unless given."""

import json
import os
import subprocess
import sys
import time

FEHU = sys.argv[1] if len(sys.argv) > 1 else "target/release/fehu"
URI = "file:///nowhere/bench.fut"


def program(lines):
    """Functions of ten lines each, in modules of ten."""
    parts = []
    for i in range(lines // 10):
        uses = f"fun{i - 1} ys" if i else "reduce (+) 0 ys"
        parts.append(f"""-- | Function number {i}.
def fun{i} [n] (xs: [n]f64) : f64 =
  let r = {{scale = f64.i64 n, offset = {i}.0}}
  let ys = map (\\x -> x * r.scale + r.offset) xs
  let zs = map2 (\\a b -> if a < b then a else b) xs ys
  let (small, large) = loop (s, l) = (0.0, 0.0) for z in zs do
    if z < 1 then (s + z, l) else (s, l + z)
  let w = scan (+) 0 (map (* 2) zs)
  in {uses} + small - large + w[n - 1]
""")
    return "\n".join(parts)


class Client:
    def __init__(self):
        self.server = subprocess.Popen([FEHU, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.request("initialize", {"capabilities": {"general": {"positionEncodings": ["utf-8"]}}})

    def send(self, message):
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.server.stdin.flush()

    def read(self):
        length = 0
        while (line := self.server.stdout.readline().strip()):
            length = int(line.split(b":")[1])
        return json.loads(self.server.stdout.read(length))

    def request(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            message = self.read()
            if message.get("id") == self.number:
                assert "error" not in message, message
                return message["result"]

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def processor(self):
        """The processor time of the server, in milliseconds."""
        stat = open(f"/proc/{self.server.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(stat[11]) + int(stat[12])) * 1000 / os.sysconf("SC_CLK_TCK")

    def messages(self, version):
        while True:
            message = self.read()
            if message.get("params", {}).get("version") == version:
                return message["params"]["diagnostics"]


def measure(lines):
    client, text = Client(), program(lines)
    count = text.count("\n")
    document = {"uri": URI, "languageId": "futhark", "version": 1, "text": text}
    client.notify("textDocument/didOpen", {"textDocument": document})
    start = time.perf_counter()
    assert client.messages(1) == []
    print(f"{count} lines, {len(text) / 1000:.0f} kB; opened in {(time.perf_counter() - start) * 1000:.0f} ms")
    line = text.split("\n").index(f"def fun{lines // 20} [n] (xs: [n]f64) : f64 =")
    at = {"textDocument": {"uri": URI}, "position": {"line": line + 3, "character": 7}}
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": count, "character": 0}}
    screen = {"start": {"line": line, "character": 0}, "end": {"line": line + 60, "character": 0}}
    of = {"textDocument": {"uri": URI}}
    version = 1

    def edit():
        nonlocal version
        version += 1
        # One more digit in a number, and away again.
        place = {"line": line + 1, "character": 39}
        end = dict(place) if version % 2 == 0 else {"line": line + 1, "character": 40}
        change = {"range": {"start": place, "end": end}, "text": "1" if version % 2 == 0 else ""}
        document = {"uri": URI, "version": version}
        client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})

    def edited():
        edit()
        client.messages(version)

    def request(method, params, after_edit=False):
        def run():
            if after_edit:
                edit()
            client.request(method, params)
        return run

    cases = [
        ("edit to messages", edited),
        ("hover", request("textDocument/hover", at)),
        ("hover after an edit", request("textDocument/hover", at, True)),
        ("completion", request("textDocument/completion", at)),
        ("signature help", request("textDocument/signatureHelp", at)),
        ("definition", request("textDocument/definition", at)),
        ("references", request("textDocument/references", {**at, "context": {"includeDeclaration": True}})),
        ("highlights", request("textDocument/documentHighlight", at)),
        ("rename", request("textDocument/rename", {**at, "newName": "other"})),
        ("inlay hints of a screen", request("textDocument/inlayHint", {**of, "range": screen})),
        ("inlay hints of all", request("textDocument/inlayHint", {**of, "range": whole})),
        ("semantic tokens", request("textDocument/semanticTokens/full", of)),
        ("symbols", request("textDocument/documentSymbol", of)),
        ("folding", request("textDocument/foldingRange", of)),
        ("formatting", request("textDocument/formatting", {**of, "options": {"tabSize": 2, "insertSpaces": True}})),
    ]
    for name, run in cases:
        times, before = [], client.processor()
        for _ in range(20):
            start = time.perf_counter()
            run()
            times.append((time.perf_counter() - start) * 1000)
        times.sort()
        used = (client.processor() - before) / len(times)
        print(f"  {name:26} {times[len(times) // 2]:7.1f} {times[-1]:7.1f} {used:7.1f}")
    client.request("shutdown", None)
    client.notify("exit", None)


for lines in [2000, 10000]:
    measure(lines)
