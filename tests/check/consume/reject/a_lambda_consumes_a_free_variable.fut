-- error: not-consumable

def main (n: i64) =
  let acc = replicate n 0i64
  in map (\i -> (acc with [i] = 1)[0]) (iota n)
