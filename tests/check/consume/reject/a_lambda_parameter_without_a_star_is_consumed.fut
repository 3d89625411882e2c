-- error: not-consumable

def main (m: [][]i32) = map (\row -> row with [0] = 0) m
