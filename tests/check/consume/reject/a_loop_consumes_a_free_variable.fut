-- error: not-consumable

def main (n: i64) =
  let a = replicate n 0i64
  in loop s = 0 for i < n do
       let a[i] = i
       in s + a[i]
