-- error: may-not-be-redefined
def (x: bool) && (y: bool) : bool = x
