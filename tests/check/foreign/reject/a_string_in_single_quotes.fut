-- error: foreign-syntax
def s = 'hello'
