-- error: unique-constant
def table : *[10]i64 = iota 10
