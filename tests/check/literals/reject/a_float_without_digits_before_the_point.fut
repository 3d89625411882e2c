-- error: foreign-syntax
def x : f32 = .5
