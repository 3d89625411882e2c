def a (xs: []i32) = map (+ 1) xs
def b (xs: []i32) = map (1 +) xs
def c (xs: []i32) = map (`i32.max` 3) xs
def d (xs: [](i32, bool)) = map (.0) xs
def e (xs: []{a: {b: i32}}) = map (.a.b) xs
def f (xs: [][3]i32) = map (.[1]) xs
def g (xs: []i32) = map (1 -) xs
def h = reduce (+) 0i32 [1, 2]
