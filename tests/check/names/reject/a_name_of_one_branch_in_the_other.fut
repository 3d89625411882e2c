-- error: unknown-name
def f (b: bool) : i32 = if b then let x = 1 in x else x
