def table : [2][2]i32 = [[1, 2], [3, 4]]

def row = table[0]

def main (i: i64) = row[i]
