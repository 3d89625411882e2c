def f (n: i64) = [1, 2, 3i32][n]
def g (n: i64) = ("abc")[n]
