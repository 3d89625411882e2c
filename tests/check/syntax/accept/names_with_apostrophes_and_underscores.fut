def x' = 1i32
def x'' = x' + 1
def a_b_1' = x''
def X = a_b_1'
