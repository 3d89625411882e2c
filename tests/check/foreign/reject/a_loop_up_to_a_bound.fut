-- error: foreign-syntax
def f (n: i64) = loop s = 0 for i <= n do s + i
