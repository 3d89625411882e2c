def table = [1, 2, 3i32]

def at (xs: []i32) (i: i64) = xs[i]

def look = at table

def main (i: i64) = look i
