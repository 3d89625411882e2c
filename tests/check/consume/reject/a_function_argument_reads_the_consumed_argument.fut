-- error: aliased-argument

def fill (dest: *[]i64) (f: i64 -> i64) = dest with [0] = f 0

def main (xs: *[]i64) = fill xs (\i -> xs[i])
