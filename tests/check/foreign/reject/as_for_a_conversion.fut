-- error: foreign-syntax
def f (x: i32) = x as f32
