-- error: range-without-end
def f (n: i64) = 0..n
