-- error: unused-existential
def f (x: i32) : ?[n].([n]i32 -> i32) = \_ -> x
