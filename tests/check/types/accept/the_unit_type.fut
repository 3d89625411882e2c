def f (_: ()) : () = ()
def g = f ()
