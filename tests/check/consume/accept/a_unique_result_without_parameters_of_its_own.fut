-- A function may be written without its parameter, and a local value may be unique.
def one [n] : [n]i32 -> *[n]i32 = map (+ 1)

def new () : *[10]i64 = iota 10

def local_value = let xs : *[10]i64 = iota 10 in xs with [0] = 1
