-- error: foreign-syntax
data T = A | B
