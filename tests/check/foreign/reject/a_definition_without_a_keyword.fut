-- error: foreign-syntax
f x = x + 1
