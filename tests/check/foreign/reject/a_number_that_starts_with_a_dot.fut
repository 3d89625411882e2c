-- error: foreign-syntax
def x = .5
