-- warning: size-expression-bind
-- warning: size-expression-bind
def squares (n: i64) = iota (let m = n + 2 in m * m)

def positive (xs: []i64) = replicate (length (filter (\x -> x > 0) xs)) true

def half (n: i64) = iota (if n > 2 then n / 2 else n)
