-- error: loop-variant-escape
def rotate_with [d] (xs: [d]i32) (ys: [d + 1 - 1]i32) : [d + 1 - 1]i32 =
  map2 (+) (tail (xs ++ [1])) ys

def f (xs: []i32) (ys: []i32) = loop xs for _i < 3i32 do rotate_with xs ys
