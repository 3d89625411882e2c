-- error: duplicate-constructor
type t = #a i32 | #b | #a bool
