def fs = ((+ 1i32), (* 2i32))
def f (x: i32) = fs.0 (fs.1 x)
