-- error: duplicate-definition
type t = i32
type t = i64
