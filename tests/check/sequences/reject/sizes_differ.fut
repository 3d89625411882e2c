-- error: size-mismatch
def f (s: seq ([]i32)) (t: seq ([]i32)) = seq.map2 (\x y -> map2 (+) x y) s t
