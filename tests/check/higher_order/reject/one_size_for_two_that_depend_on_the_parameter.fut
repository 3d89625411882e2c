-- error: scope-violation
type square [n] = [n][n]i64

def f : i64 -> square [] = \n -> tabulate_2d (n + 1) (n + 2) (\i j -> i + j)
