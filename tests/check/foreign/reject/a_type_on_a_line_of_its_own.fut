-- error: foreign-syntax
f :: i32 -> i32
f x = x + 1
