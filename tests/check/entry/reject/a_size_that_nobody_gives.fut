-- error: size-polymorphic-entry
entry make [n] (x: i32) : [n]i32 = replicate n x
