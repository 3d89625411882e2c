-- Recursive functions are functions of the IR from the start.
def gcd (a: i32) (b: i32) : i32 = if b == 0 then a else gcd b (a % b)

entry main (a: i32) (b: i32) : i32 = gcd a b
