-- error: unknown-name
def f (x: i32) = fromIntegral x
