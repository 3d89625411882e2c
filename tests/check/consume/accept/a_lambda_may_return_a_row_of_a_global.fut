def table : [2][2]i32 = [[1, 2], [3, 4]]

def main (is: []i64) = map (\i -> table[i]) is
