-- error: foreign-syntax
def f (x: [f32]) = x
