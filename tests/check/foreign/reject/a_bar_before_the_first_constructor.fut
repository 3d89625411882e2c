-- error: foreign-syntax
type t = | #foo i32 | #bar
