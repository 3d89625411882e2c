-- error: lifted-element
def f '~a (xs: []a) : i64 = length xs
