-- Zipping and unzipping keep the order of the components.
-- ==
-- entry: zips
-- input { [1, 2] [3, 4] [5, 6] [7, 8] [9, 0] }
-- output { [13i32, 24i32] [135i32, 246i32] [1357i32, 2468i32] [13579i32, 24680i32] }
-- input { empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) }
-- output { empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) }

-- ==
-- entry: unzips
-- input { [1, 2, 3] }
-- output { [2, 3, 4] [1, 2, 3] [2, 4, 6] [3, 4, 5] [0, 1, 2] [1, 4, 9] [-1, -2, -3] }

entry zips [n] (as: [n]i32) (bs: [n]i32) (cs: [n]i32) (ds: [n]i32) (es: [n]i32) =
  let digits2 (a, b) = 10 * a + b
  let digits3 (a, b, c) = 10 * digits2 (a, b) + c
  let digits4 (a, b, c, d) = 10 * digits3 (a, b, c) + d
  let digits5 (a, b, c, d, e) = 10 * digits4 (a, b, c, d) + e
  in ( map digits2 (zip as bs)
     , map digits3 (zip3 as bs cs)
     , map digits4 (zip4 as bs cs ds)
     , map digits5 (zip5 as bs cs ds es)
     )

entry unzips [n] (xs: [n]i32) =
  let (a, _) = unzip (map (\x -> (x + 1, x)) xs)
  let (_, b) = unzip2 (map (\x -> (x + 1, x)) xs)
  let (_, c, _) = unzip3 (map (\x -> (x, 2 * x, 3 * x)) xs)
  let (_, _, d, _) = unzip4 (map (\x -> (x, x + 1, x + 2, x + 3)) xs)
  let (e, _, _, f, g) = unzip5 (map (\x -> (x - 1, x, x, x * x, -x)) xs)
  in (a, b, c, d, e, f, g)
