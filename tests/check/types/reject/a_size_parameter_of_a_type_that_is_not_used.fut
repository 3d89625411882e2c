-- error: unused-size-param
type t [n] = i32
