-- error: type-mismatch
type t = #number i32 | #none
def f : t = #number true
