-- Code that is generic in a number module.
-- ==
-- entry: ints
-- input { [1, 2, 3] } output { 14 3 2 }

-- ==
-- entry: floats
-- input { [1f32, 2f32, 3f32] } output { 14f32 3f32 1.5f32 }

module vector (N: numeric) = {
  def dot [n] (xs: [n]N.t) (ys: [n]N.t) : N.t = N.sum (map2 (N.*) xs ys)
  def greatest [n] (xs: [n]N.t) : N.t = reduce N.max N.lowest xs
}

module int_vector = vector i32
module float_vector = vector f32

module popcount (I: integral) = {
  def total [n] (xs: [n]I.t) : i32 = i32.sum (map I.popc xs)
}

module mean (R: real) = {
  def half (x: R.t) : R.t = x R./ R.i32 2
}

module int_bits = popcount i32
module float_mean = mean f32

entry ints (xs: []i32) : (i32, i32, i32) = (int_vector.dot xs xs, int_vector.greatest xs, int_bits.total (init xs))

entry floats (xs: []f32) : (f32, f32, f32) =
  (float_vector.dot xs xs, float_vector.greatest xs, float_mean.half (last xs))
