-- warning: unused-name
local def helper (x: i32) : i32 = x

def f (x: i32) : i32 = x + 1
