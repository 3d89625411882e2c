-- error: foreign-syntax
val x = 3
