-- error: alias-free-variable

def table : [3]i32 = [1, 2, 3]

def first (xs: [3]i32) (_: bool) : [3]i32 = xs

def choose = first table
