type pair = {a: [4]i32, b: [4]i32}

def main (p: pair) : pair = p with a = p.b
