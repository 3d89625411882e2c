-- error: unique-constant
def table : {name: i32, elements: *[10]i64} = {name = 1, elements = iota 10}
