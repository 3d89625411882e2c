def a = flip (-) 1i32 2
def b = curry (\(x: i32, y: i32) -> x + y) 1 2
def c = uncurry (+) (1i32, 2)
