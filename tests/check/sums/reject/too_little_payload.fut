-- error: type-mismatch
type t = #pair i32 i32 | #none
def f : t = #pair 1i32
