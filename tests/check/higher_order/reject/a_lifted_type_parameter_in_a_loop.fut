-- error: functional-type
def f '^a (x: a) = loop y = x for _i < 10i32 do y
