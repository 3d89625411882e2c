-- error: no-field
def double (x: i32) = 2 * x

def f (xs: []i32) = xs.map(double).filter(> 0)

def g (xs: []i32) = xs.map(double).take(2).length()
