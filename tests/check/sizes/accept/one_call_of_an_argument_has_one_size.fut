def once f = f 2i64

def pairs = let (xs, ys) = once (\n -> (iota n, iota n)) in zip xs ys

def twice f = (f 2i64, f 4i64)

def both = twice iota

def same [n] (xs: [n]i64) = let (ys, zs) = twice (\_ -> xs) in zip ys zs
