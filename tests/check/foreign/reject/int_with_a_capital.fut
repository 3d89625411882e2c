-- error: unknown-name
def f (x: Int) : Int = x
