-- error: ambiguous-type
def f (x: i32) = let _same a b = a != b in x
