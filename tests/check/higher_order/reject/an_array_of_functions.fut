-- error: functional-type
def fs = [(+ 1i32), (* 2i32)]
