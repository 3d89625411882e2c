-- warning: unused-name
def f (x: i32) : i32 = loop y = x for i < 10i32 do y * 2
