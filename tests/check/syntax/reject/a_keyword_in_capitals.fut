-- error: unexpected-token
Def f (x: i32) = x
