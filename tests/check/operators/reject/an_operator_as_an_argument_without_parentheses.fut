-- error: type-mismatch
-- error: type-mismatch
def sum (xs: []i32) = reduce + 0 xs
def differences (xs: []i32) (ys: []i32) = map2 - xs ys
