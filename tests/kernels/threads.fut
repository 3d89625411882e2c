-- What the host does with elements, what threads allocate, checks in kernels, and functions that call themselves.
-- ==
-- entry: element
-- input { [1, 2, 3] 1i64 } output { 2 }
-- input { [1, 2, 3] 5i64 } error: out of bounds
-- entry: folded
-- random input { [1000]i32 } auto output
-- entry: looked_up
-- input { [1, 2, 3] [0i64, 2i64, 1i64] } output { [1, 3, 2] }
-- input { [1, 2, 3] [0i64, 3i64, 1i64] } error: out of bounds
-- entry: sorted
-- random input { [20][9]i32 } auto output
-- entry: triangles
-- input { [0i64, 1i64, 5i64, 100i64] } output { [0i64, 0i64, 20i64, 166650i64] }
-- entry: rotated
-- input { [0i64, 1i64] [[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]] }
-- output { [[[1, 2, 3], [4, 5, 6]], [[8, 9, 7], [11, 12, 10]]] }

-- ==
-- entry: chosen
-- input { [5i64] } output { [8i64] }
-- entry: chosen_by_element
-- input { [5i64, 7i64] } output { [6i64, 8i64] }
-- entry: only_in_kernels
-- input { [5i64, 7i64] } output { [15i64, 21i64] }

-- A tuning parameter in a kernel.
entry chosen [n] (xs: [n]i64) = map (\x -> x + #[param(extra)] 3) xs
-- Functions that only kernels call, with arrays of their own.
#[noinline] def total (xs: []i64): i64 = reduce (+) 0 xs
#[noinline] def thrice (x: i64): i64 = total (replicate 3 x)
entry only_in_kernels [n] (xs: [n]i64) = map thrice xs

entry chosen_by_element [n] (xs: [n]i64) = map (\x -> 1 + #[param(each)] x) xs

entry element [n] (xs: [n]i32) (i: i64) = xs[i]
entry folded [n] (xs: [n]i32) = loop s = 0 for i < n do s * 2 + xs[i]
entry looked_up [n] [m] (xs: [n]i32) (is: [m]i64) = map (\i -> xs[i]) is

def insertion_sort [n] (xs: [n]i32): [n]i32 =
  loop ys = copy xs for i in 1..<n do
    let (ys, _) = loop (ys, j) = (ys, i) while j > 0 && ys[j - 1] > ys[j] do
      let t = ys[j]
      let ys[j] = ys[j - 1]
      let ys[j - 1] = t
      in (ys, j - 1)
    in ys

entry sorted [n] [m] (xss: [n][m]i32) = map insertion_sort xss

-- The sizes of the arrays are the threads' own.
entry triangles [n] (ks: [n]i64) = map (\k -> i64.sum (scan (+) 0 (iota k))) ks

entry rotated [k] [n] [m] (is: [k]i64) (xsss: [k][n][m]i32) =
  map2 (\i xss -> map (\xs -> (opaque xs[i:] ++ opaque xs[:i]) :> [m]i32) xss) is xsss

-- ==
-- entry: traced
-- input { [1, 2, 3] } output { [2, 3, 4] }

-- The host shows an array that is in the memory of the device.
entry traced [n] (xs: [n]i32) = #[trace(xs)] (map (+1) xs)
