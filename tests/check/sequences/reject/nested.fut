-- error: sequence-element
-- error: sequence-element
def f (s: seq (seq i32)) = seq.length s

def g (s: seq (i32, i32 -> i32)) = seq.length s
