-- error: aliased-argument

def main (xs: *[]i64) = scatter xs xs xs
