-- error: cannot-index
-- error: not-a-function
def f (s: seq i32) : i32 = s[0]

def g (s: seq i32) : i32 = s 0
