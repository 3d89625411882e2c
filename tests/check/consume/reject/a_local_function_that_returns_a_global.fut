-- error: alias-free-variable
def table = [1i32, 2, 3]

def f (x: i64) =
  let rows (_: i64) = table
  in (rows x)[x]
