-- error: foreign-syntax
def f (x: i32) = match x with
  | 0 -> 1
  | _ -> 2
