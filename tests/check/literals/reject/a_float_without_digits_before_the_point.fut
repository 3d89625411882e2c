-- error: unexpected-token
def x : f32 = .5
