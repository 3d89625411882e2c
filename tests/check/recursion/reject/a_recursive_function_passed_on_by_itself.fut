-- error: recursion
def f (g: i32 -> i32) (n: i32) : i32 = if n == 0 then g n else id f g (n - 1)
