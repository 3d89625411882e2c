-- error: not-consumable

def table = [1, 2, 3i32]

def main (i: i64) = (table with [i] = 0)[0]
