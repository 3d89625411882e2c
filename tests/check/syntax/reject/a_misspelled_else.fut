-- error: unexpected-token
def f (x: i32) = if x > 0 then 1 esle 2
