-- error: alias-free-variable

def table : [2][2]i32 = [[1, 2], [3, 4]]

def main (i: i64) = table[i]
