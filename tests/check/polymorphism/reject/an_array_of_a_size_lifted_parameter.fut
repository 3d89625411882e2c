-- error: lifted-element
-- error: functional-type
def f '~a (xs: []a) : i64 = length xs
