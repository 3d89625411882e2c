-- error: unknown-name
def f (x: i32) = x <+> 2i32
