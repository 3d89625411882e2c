-- error: foreign-syntax
def f (x: i32) = switch (x) { case 0: 1; default: 2 }
