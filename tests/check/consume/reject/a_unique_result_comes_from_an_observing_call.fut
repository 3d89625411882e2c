-- error: return-aliased

def pick (xs: []i32) : []i32 = xs

def main (xs: []i32) : *[]i32 = pick xs
