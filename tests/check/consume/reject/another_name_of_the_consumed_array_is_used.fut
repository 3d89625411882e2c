-- error: use-after-consume

def main (n: i64) =
  let squares = map (\i -> i * i) (iota n)
  let same = squares
  let squares[0] = 7
  in (squares, same[1])
