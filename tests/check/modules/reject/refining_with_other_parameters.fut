-- error: cannot-refine
module type mt = { type t 'a }
module m : mt with t = i32 = { type t 'a = [1]a }
