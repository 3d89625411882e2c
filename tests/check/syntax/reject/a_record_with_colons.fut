-- error: foreign-syntax
def r = {x: 1, y: 2}
