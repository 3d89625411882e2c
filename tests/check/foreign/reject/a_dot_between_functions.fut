-- error: foreign-syntax
def f = (+1) . (*2)
