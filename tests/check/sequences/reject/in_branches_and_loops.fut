-- error: functional-type
-- error: functional-type
def f (c: bool) (s: seq i32) (t: seq i32) = if c then s else t

def g (s: seq i32) = seq.length (loop s for i < 3 do seq.map (+ 1) s)
