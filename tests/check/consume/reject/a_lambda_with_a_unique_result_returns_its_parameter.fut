-- error: return-aliased

def main (xs: []i32) = (\(ys: []i32) : *[]i32 -> ys) xs
