-- Sizes that mention values of modules, and values seen through module types.

module type counted = {
  val count : i64
  type many = [count]i32
  val fill : i32 -> [count / 2]i32
}

module pairs : counted = {
  def count = 4i64
  type many = [count]i32
  def fill x = replicate (count / 2) x
}

-- ==
-- entry: coerced
-- input { 4i64 } output { [0i64, 1i64, 2i64, 3i64] }
-- input { 3i64 } error: module_sizes.fut

entry coerced (n: i64) = iota n :> [pairs.count]i64

-- ==
-- entry: filled
-- input { [1, 2] } output { [[1, 1], [2, 2]] }

module rows (C: counted) = {
  def all [m] (xs: [m]i32) : [m][C.count / 2]i32 = map C.fill xs
}

module pair_rows = rows pairs

entry filled (xs: []i32) = pair_rows.all xs

-- The parameters that users know are not those of the implementation.
module equal
  : {
      type eq [n] [m]
      val refl [n] : eq [n] [n]
      val swap [n] [m] : eq [n] [m] -> eq [m] [n]
      val commute [n] [m] : eq [n * m] [m * n]
      val cast [n] [m] : eq [n] [m] -> [n]i32 -> [m]i32
    } = {
  type eq [n] [m] = [0][n][m]()
  def refl = []
  def swap _ = []
  def commute = []
  def cast [n] [m] (_: eq [n] [m]) (xs: [n]i32) = xs :> [m]i32
}

-- ==
-- entry: cast
-- input { [[1, 2, 3], [4, 5, 6]] } output { [1, 2, 3, 4, 5, 6] }

entry cast [n] [m] (xss: [n][m]i32) : [m * n]i32 =
  equal.cast (equal.swap (equal.swap equal.commute)) (flatten xss)

-- Functions and operators in sizes, on other types than i64.
-- ==
-- entry: powers
-- input { 3u32 [1u8, 2u8] } output { [[1u8, 1u8, 1u8, 1u8, 1u8, 1u8, 1u8, 1u8], [2u8, 2u8, 2u8, 2u8, 2u8, 2u8, 2u8, 2u8]] }

def spread (bits: u32) (x: u8) : [i64.u32 (1 << bits)]u8 = replicate (i64.u32 (1 << bits)) x

entry powers [n] (bits: u32) (xs: [n]u8) = map (spread bits) xs

-- ==
-- entry: grid
-- input { 2 3 [1, 2, 3, 4, 5, 6] } output { [[1, 4], [2, 5], [3, 6]] }

def cut 't n m : [i64.i32 n * i64.i32 m]t -> [][]t = unflatten

entry grid n m (xs: []i32) : [][]i32 = cut n m (sized (i64.i32 n * i64.i32 m) xs) |> transpose
