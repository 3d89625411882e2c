-- error: module-as-value
def f = f32
