-- error: foreign-syntax
def sum (n: i64) =
  let s = 0
  for i < n do s + i
