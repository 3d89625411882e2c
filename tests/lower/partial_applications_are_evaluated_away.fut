-- Sections, applications with too few arguments and compositions.
def add3 (a: i32) (b: i32) (c: i32) : i32 = a + b * c

entry main (xs: []i32) (k: i32) : []i32 =
  map ((`i32.max` 0) >-> add3 1 k >-> (* 2)) xs
