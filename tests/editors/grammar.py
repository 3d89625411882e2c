"""Compares the colours of the TextMate grammar with the tokens of the compiler. Standard input: for each program a line of JSON,
`{"name": ..., "text": ..., "tokens": [[class, start, end], ...]}`, with bytes. Argument: the grammar.

The grammar is interpreted as editors do it, line by line: at each place the rule that matches first in the text, and of
several the first in the list."""

import json
import re
import sys

CLASSES = {
    "Keyword": ("keyword.", "constant.language."),
    "Name": ("variable.", "entity.name.", "support.type.", "entity.other.attribute-name."),
    "Constructor": ("constant.other.constructor.",),
    "Number": ("constant.numeric.",),
    "Character": ("constant.numeric.character.",),
    "String": ("string.",),
    "Comment": ("comment.",),
}


class Rule:
    def __init__(self, grammar, rule):
        if "include" in rule:
            raise ValueError("includes are expanded")
        self.name = rule.get("name", "")
        self.pattern = re.compile(rule.get("match") or rule["begin"])
        self.end = re.compile(rule["end"]) if "end" in rule else None
        self.captures = {int(key): value["name"] for key, value in rule.get("captures", {}).items()}
        self.inside = expand(grammar, rule.get("patterns", []))


def expand(grammar, patterns):
    rules = []
    for pattern in patterns:
        if "include" in pattern:
            rules += expand(grammar, grammar["repository"][pattern["include"][1:]]["patterns"])
        else:
            rules.append(Rule(grammar, pattern))
    return rules


def paint(rules, line, stack, colours):
    """The scope of each character of a line."""
    at = 0
    while at <= len(line):
        current = stack[-1] if stack else None
        found = [rule.pattern.search(line, at) for rule in (current.inside if current else rules)]
        found = [(m.start(), i, m) for i, m in enumerate(found) if m and m.end() > m.start()]
        best = min(found, default=None)
        end = current.end.search(line, at) if current else None
        until = end.start() if end else len(line)
        if current and (best is None or best[0] >= until):
            for i in range(at, end.end() if end else len(line)):
                colours[i] = current.name
            if not end:
                return
            stack.pop()
            if end.end() == at and end.end() == len(line):
                return
            at = end.end()
            continue
        if best is None:
            return
        start, index, match = best
        rule = (current.inside if current else rules)[index]
        for i in range(at, start):
            colours[i] = current.name if current else ""
        for i in range(start, match.end()):
            colours[i] = rule.name or (current.name if current else "")
        for group, name in rule.captures.items():
            for i in range(match.start(group), match.end(group)):
                colours[i] = name
        if rule.end:
            stack.append(rule)
        at = match.end()


def main():
    grammar = json.load(open(sys.argv[1]))
    rules = expand(grammar, grammar["patterns"])
    tokens = 0
    for program in map(json.loads, sys.stdin):
        text = program["text"]
        colours, stack, offset = [], [], 0
        # Bytes to characters.
        position = {}
        for i, char in enumerate(text):
            position[offset] = i
            offset += len(char.encode())
        for line in text.split("\n"):
            painted = [""] * (len(line) + 1)
            paint(rules, line, stack, painted)
            colours += painted
        for kind, start, end in program["tokens"]:
            if kind not in CLASSES or text[position[start]] == "_" and end - start == 1:
                continue
            tokens += 1
            scope = colours[position[start]]
            if not scope.startswith(CLASSES[kind]):
                line = text.count("\n", 0, position[start]) + 1
                word = text[position[start]:position[start] + 20].split("\n")[0]
                sys.exit(f"{program['name']}:{line}: \"{word}\" is a {kind} and painted as \"{scope}\"")
    assert tokens > 1000
    print("all is well")


main()
