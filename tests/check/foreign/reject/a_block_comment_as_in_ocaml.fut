-- error: foreign-syntax
(* add one *)
def f (x: i32) : i32 = x + 1
