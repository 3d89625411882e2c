-- error: alias-free-variable

def table = ([1, 2, 3i32], true)

def main (n: i32) = (n, table.0)
