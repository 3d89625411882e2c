-- error: duplicate-definition
module type mt = { val x : i32 val x : bool }
