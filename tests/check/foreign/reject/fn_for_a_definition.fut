-- error: foreign-syntax
fn f(x: i32) -> i32 { x + 1 }

def g (x: i32) = x
