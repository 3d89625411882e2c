-- error: foreign-syntax
def f (x: i32) : i32 =
  let y = x + 1;
  let z = y;
  in z;
