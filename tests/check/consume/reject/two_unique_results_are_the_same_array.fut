-- error: unique-return-aliased

def main (xs: *[]i32) : (*[]i32, *[]i32) = (xs, xs)
