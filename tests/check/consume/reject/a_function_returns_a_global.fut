-- error: alias-free-variable

def table = [1, 2, 3i32]

def main (_: bool) = table
