def f (r: {x: i32, y: bool}) : bool = r == {y = true, x = 1}
def g (x: (i32, f32)) (y: (i32, f32)) : bool = x != y
