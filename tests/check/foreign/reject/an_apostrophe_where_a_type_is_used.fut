-- error: foreign-syntax
def f 'a (x: 'a) : 'a = x
