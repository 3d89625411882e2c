-- Strides may be negative, and a stride that is not known may be zero.
entry backwards (xs: []i32) : []i32 = xs[::-1]

entry strided (xs: []i32) (s: i64) : []i32 = xs[1:7:s]
