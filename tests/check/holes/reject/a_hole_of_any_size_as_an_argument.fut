-- error: ambiguous-size
def total : f32 = f32.sum ???
