module a = import "../lib/token"
module b = import "../../modules/lib/token"
def f : i32 = a.value b.make
