-- error: unused-existential
def f (x: i32) : ?[n].i32 = x
