-- error: missing-in
def f (x: i32) =
  let y = x + 1

def g (x: i32) = x
