-- error: anonymous-nonconstructive
type^ f = []i32 -> i32
