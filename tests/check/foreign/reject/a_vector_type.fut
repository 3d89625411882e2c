-- error: foreign-syntax
def f (x: Vec<f32>) = x
