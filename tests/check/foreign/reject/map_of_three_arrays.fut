-- error: too-many-arguments
def f (a: []i32) (b: []i32) (c: []i32) = map (\x y z -> x + y + z) a b c
