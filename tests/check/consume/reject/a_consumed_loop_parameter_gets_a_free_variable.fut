-- error: consuming-loop-param-aliases

def main (n: i64) =
  let spare = iota n
  in loop xs = iota n for i < n do
       let xs[i] = 0
       in if xs[0] == 0 then spare else xs
