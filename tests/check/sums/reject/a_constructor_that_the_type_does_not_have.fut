-- error: type-mismatch
type t = #red | #green
def f : t = #blue
