-- What is smaller than a call needs none.
def twice (f: i32 -> i32) (x: i32) : i32 = f (f x)

entry main (x: i32) (k: i32) : i32 =
  let add y = y + k
  in twice add x + twice add (x * 2)
