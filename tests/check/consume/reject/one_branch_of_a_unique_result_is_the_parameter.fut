-- error: return-aliased

def main (c: bool) (xs: []i32) : *[]i32 = if c then copy xs else xs
