#[noinline]
def f (x: i32) = x
#[inline] def g (x: i32) = x
