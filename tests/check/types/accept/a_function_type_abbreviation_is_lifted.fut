type^ action 'a = a -> a
def twice 'a (f: action a) (x: a) : a = f (f x)
