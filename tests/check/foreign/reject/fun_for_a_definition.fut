-- error: foreign-syntax
fun f x = x + 1
