-- error: unexpected-token
/* this is not a comment */
def x = 1i32
