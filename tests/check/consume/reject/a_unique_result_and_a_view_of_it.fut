-- error: unique-return-aliased

def main (m: *[2][2]i32) : (*[2][2]i32, [2]i32) = (m, m[0])
