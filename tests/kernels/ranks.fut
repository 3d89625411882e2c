-- Passes of a radix sort: a scan counts four digits at once, a reduction how often each occurs, and elements go to their places.

def pass [n] (shift: u32) (xs: [n]u32) : [n]u32 =
  let digit x = i8.u32 ((x >> shift) & 3)
  let digits = map digit xs
  let add4 (a, b, c, d) (e, f, g, h) = (a + e, b + f, c + g, d + h)
  let add3 (a, b, c) (e, f, g) = (a + e, b + f, c + g)
  let is k x = i64.bool (x == k)
  let ranks = scan add4 (0, 0, 0, 0) (map (\x -> (is 0 x, is 1 x, is 2 x, is 3 x)) digits)
  let (a, b, c) = reduce_comm add3 (0, 0, 0) (map (\x -> (is 0 x, is 1 x, is 2 x)) digits)
  let place x (i, j, k, l) =
    if x == 0 then i - 1 else if x == 1 then a + j - 1 else if x == 2 then a + b + k - 1 else a + b + c + l - 1
  in scatter (#[scratch] copy xs) (map2 place digits ranks) xs

-- ==
-- entry: sorted
-- input { [5u32, 3u32, 200u32, 0u32, 3u32, 77u32, 1u32] } output { [0u32, 1u32, 3u32, 3u32, 5u32, 77u32, 200u32] }
-- input { empty([0]u32) } output { empty([0]u32) }
entry sorted (xs: []u32) = loop xs for i < 4 do pass (u32.i64 (2 * i)) xs

-- ==
-- entry: many
-- input { 100000i64 } output { true }
entry many (n: i64) : bool =
  let xs = tabulate n (\i -> u32.i64 ((i * 7919) % 65521))
  let ys = loop xs for i < 8 do pass (u32.i64 (2 * i)) xs
  in u64.sum (map u64.u32 xs) == u64.sum (map u64.u32 ys) && and (map (\i -> i == 0 || ys[i - 1] <= ys[i]) (iota n))

-- ==
-- entry: sums_and_products
-- input { [1i32, 2i32, 3i32, 4i32] } output { [1i32, 3i32, 6i32, 10i32] [1i32, 2i32, 6i32, 24i32] [8i32, 9i32, 10i32, 15i32] }

-- A scan of pairs whose parts have nothing to do with each other, and a map of it that needs a reduced value.
entry sums_and_products [n] (xs: [n]i32) : ([n]i32, [n]i32, [n]i32) =
  let (sums, products) = unzip (scan (\(a, b) (c, d) -> (a + c, b * d)) (0, 1) (zip xs xs))
  let most = i32.maximum xs
  in (sums, products, map2 (\s p -> p % 13 + most + s % 2 * 3) sums products)
