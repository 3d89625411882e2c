-- Sixteen arrays are alive: one loop makes them, and another one reads them, one after the other, twice. With a limit of a quarter of
-- that, they are evicted and come back.
-- ==
-- entry: alive
-- input { 20000i64 } output { 99979i64 }

type arrays [n] = ([n]i64, [n]i64, [n]i64, [n]i64, [n]i64, [n]i64, [n]i64, [n]i64)

-- Takes an array from the front, and puts one at the end.
def turn [n] (x: [n]i64) ((a, b, c, d, e, f, g, h): arrays [n]) : ([n]i64, arrays [n]) =
  (a, (b, c, d, e, f, g, h, x))

def made [n] (k: i64) (last: [n]i64) : [n]i64 =
  let first = last[n / 2] % 13
  in scan (+) 0 (map (\i -> (i * k + first) % 7) (iota n))

-- Reads elements here and there, where the last sum says.
def read [n] (last: i64) (xs: [n]i64) : i64 =
  i64.sum (map (\i -> xs[(i * 31 + last) % n] % 11) (iota n))

entry alive (n: i64) : i64 =
  let x = iota n
  let xs: arrays [n] = (x, x, x, x, x, x, x, x)
  let (_, front, back) =
    loop (last, front, back) = (x, xs, xs) for k < 16 do
      let next = made (k + 1) last
      let (x, back) = turn next back
      let (_, front) = turn x front
      in (next, front, back)
  let (s, _, _) =
    loop (s, front, back) = (0, front, back) for _i < 32i64 do
      let s = read s front.0
      let (x, back) = turn front.0 back
      let (_, front) = turn x front
      in (s, front, back)
  in s
