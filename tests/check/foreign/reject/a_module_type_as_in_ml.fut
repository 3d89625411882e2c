-- error: foreign-syntax
module type S = sig val x : i32 end
