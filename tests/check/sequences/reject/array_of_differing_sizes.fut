-- error: existential-size
def f (s: seq ([]i32)) = seq.to_array s
