local def helper (x: i32) = x + 1
def f = helper 2
