-- warning: star-without-effect
-- warning: star-without-effect
def next (x: *i32) : i32 = x + 1

def pair (x: i32) : *(i32, bool) = (x, true)

def id 't (x: *t) : *t = x

def some (x: i32) : *(i32, [1]i32) = (x, [x])
