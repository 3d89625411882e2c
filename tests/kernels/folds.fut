-- Reductions and scans, alone and in maps: few and many segments, short and long ones, operators that are not commutative.
-- ==
-- entry: sum
-- input { [1, 2, 3, 4] } output { 10 }
-- input { empty([0]i32) } output { 0 }
-- random input { [100000]i32 } auto output
-- entry: mapped
-- input { [1, 2, 3, 4] } output { [2, 3, 4, 5] }
-- entry: prefixes
-- input { [1, 2, 3, 4] } output { [1, 3, 6, 10] }
-- random input { [30000]i32 } auto output
-- entry: affine
-- random input { [1000]i32 } auto output
-- random input { [50000]i32 } auto output
-- entry: both
-- random input { [5000]i32 } auto output

def compose (a, b) (c, d): (i32, i32) = (a * c, b * c + d)

entry sum [n] (xs: [n]i32) = i32.sum xs
entry mapped [n] (xs: [n]i32) = map (+1) xs
entry prefixes [n] (xs: [n]i32) = scan (+) 0 xs
entry affine [n] (xs: [n]i32) = (reduce compose (1, 0) (zip xs (map (+1) xs)), unzip (scan compose (1, 0) (zip xs xs)))
entry both [n] (xs: [n]i32) = let ys = map (% 100) xs in (scan (+) 0 ys, i32.maximum ys)

-- ==
-- entry: rows row_prefixes
-- random input { [3][20000]i32 } auto output
-- random input { [400][7]i32 } auto output
-- random input { [70][70]i32 } auto output
-- random input { [5][1]i32 } auto output

entry rows [n] [m] (xss: [n][m]i32) = map i32.sum xss
entry row_prefixes [n] [m] (xss: [n][m]i32) = map (scan (+) 0) xss

-- Plain results beside reductions, in rounds of several elements and what is left of them.
-- ==
-- entry: sum_and_doubles
-- random input { [0]i32 } auto output
-- random input { [1]i32 } auto output
-- random input { [5000]i32 } auto output
-- random input { [1200003]i32 } auto output

entry sum_and_doubles [n] (xs: [n]i32) = let ys = map (* 2) xs in (i32.sum ys, ys)
