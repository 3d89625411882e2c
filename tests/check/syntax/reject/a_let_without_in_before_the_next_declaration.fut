-- error: missing-in
def f (x: i32) : i32 =
  let y = x + 1
  y * 2

def g (x: i32) = x
