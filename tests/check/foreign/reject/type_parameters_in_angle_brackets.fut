-- error: foreign-syntax
def f<T>(x: T): T = x
