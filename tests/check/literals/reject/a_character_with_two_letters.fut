-- error: foreign-syntax
def c : u8 = 'ab'
