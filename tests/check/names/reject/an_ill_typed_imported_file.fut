-- error: type-mismatch
import "../lib/ill_typed"
def y : i32 = x + 1
