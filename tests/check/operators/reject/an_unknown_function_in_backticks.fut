-- error: unknown-name
def f (x: i32) = x `maximum_of` 2i32
