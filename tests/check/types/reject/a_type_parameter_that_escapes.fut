-- error: scope-violation
def f x = let g 'a (y: a) = (if true then x else y) in g
