-- A definition that is no function is a constant of the program, and a number is itself.
def table : [4]i32 = map (\i -> i32.i64 (i * i)) (iota 4)
def three = 3i32

entry main (i: i64) : i32 = table[i] * three
