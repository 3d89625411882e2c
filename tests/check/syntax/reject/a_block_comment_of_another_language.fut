-- error: foreign-syntax
/* this is not a comment */
def x = 1i32
