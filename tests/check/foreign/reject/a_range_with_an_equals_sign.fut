-- error: foreign-syntax
def f (n: i64) = 1..=n
