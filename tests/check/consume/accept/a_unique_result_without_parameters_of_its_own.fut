-- A function may be written without its parameter, and a local value may be unique.
def one : i32 -> *[1]i32 = \x -> [x]

def new () : *[10]i64 = iota 10

def local_value = let xs : *[10]i64 = iota 10 in xs with [0] = 1
