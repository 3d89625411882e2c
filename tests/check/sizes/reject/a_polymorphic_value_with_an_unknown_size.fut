-- error: polymorphic-value
def xs [n] : ([n]i32, []i32) = (rep 1, filter (> 0) [1, 2])
