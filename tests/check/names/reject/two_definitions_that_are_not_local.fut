-- error: duplicate-definition
local def f = 1i32
def f = 2i32
def f = 3i32
