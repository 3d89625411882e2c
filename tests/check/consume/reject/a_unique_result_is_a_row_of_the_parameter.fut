-- error: return-aliased

def main (m: [][]i32) (i: i64) : *[]i32 = m[i]
