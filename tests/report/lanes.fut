-- Loops inside of operators: which have lanes, and why others have none.

entry escapes (n: i64) (limit: i32): [n]i32 =
  tabulate n (\i ->
    let c = f32.i64 i
    let (_, k) = loop (z, k) = (0f32, 0i32) while k < limit && z < 4 do (z * z + c, k + 1)
    in k)

entry divides (n: i64): [n]i64 =
  tabulate n (\i -> loop a = i + 1000 while a > 7 do a / 3 - i)

entry searches [n] [m] (xs: [n]i64) (ys: [m]i64): [n]i64 =
  map (\x -> loop l = 0 while l < m && ys[l] < x do l * 2 + 1) xs

entry few (xs: [3]f64): [3]f64 =
  map (\x -> loop a = x while a > 1 do a / 3) xs

entry halves (xs: []f16): []f16 =
  map (\x -> loop a = x while a > 1 do a / 3) xs

entry fails (xs: []i64) (ys: []f64): []f64 =
  map (\x -> loop a = ys[x] while a > 1 do a / 3) xs

-- The C compiler sees to the sums of rows itself.
entry sums (xss: [][]f32): []f32 =
  map f32.sum xss
