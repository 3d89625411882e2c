-- error: type-mismatch
type t = #one i32 | #none
def f : t = #one 1i32 2i32
