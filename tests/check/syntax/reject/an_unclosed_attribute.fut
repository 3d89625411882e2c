-- error: unclosed-bracket
#[inline
def f (x: i32) = x
