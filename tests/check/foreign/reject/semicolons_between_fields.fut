-- error: foreign-syntax
type p = {x: i32; y: i32}
