-- error: foreign-syntax
def x = 1.
