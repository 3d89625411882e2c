-- | Views of vectors by strides: what slices cannot say.

import "math"
import "soacs"
import "array"

-- | Parts of a vector by an offset and, for each dimension, a size and a stride.
--
-- An array of two dimensions that is stored as a vector has blocks, columns and
-- diagonals. Each of them consists of the elements at `off + i*s1 + j*s2`, where
-- `i` is less than `n1` and `j` less than `n2`: for the block of `n1` rows and
-- `n2` columns that starts at `off` in a matrix with `w` columns, `s1` is `w`
-- and `s2` is one. A stride may be negative or zero.
--
-- Nothing is copied. A place outside of the vector is an error, and so is an
-- update that would write to one place twice.
module view = {
  -- | The elements at `off + i*s1 + j*s2`.
  def get_2d 't [n] (as: [n]t) (off: i64) (n1: i64) (s1: i64) (n2: i64) (s2: i64) : [n1][n2]t =
    intrinsics.flat_index_2d as off n1 s1 n2 s2

  -- | The elements at `off + i*s1 + j*s2 + k*s3`.
  def get_3d 't [n]
      (as: [n]t)
      (off: i64)
      (n1: i64)
      (s1: i64)
      (n2: i64)
      (s2: i64)
      (n3: i64)
      (s3: i64) : [n1][n2][n3]t =
    intrinsics.flat_index_3d as off n1 s1 n2 s2 n3 s3

  -- | The elements at `off + i*s1 + j*s2 + k*s3 + l*s4`.
  def get_4d 't [n]
      (as: [n]t)
      (off: i64)
      (n1: i64)
      (s1: i64)
      (n2: i64)
      (s2: i64)
      (n3: i64)
      (s3: i64)
      (n4: i64)
      (s4: i64) : [n1][n2][n3][n4]t =
    intrinsics.flat_index_4d as off n1 s1 n2 s2 n3 s3 n4 s4

  -- Whether no two of the places are the same. If each stride is larger than all
  -- that the smaller ones can reach together, they are not; otherwise they are
  -- counted.
  local def places_are_distinct [d] (dims: [d](i64, i64)) : bool =
    let reach (n: i64, s: i64) = (n - 1) * i64.abs s
    let is_before i j =
      let (a, b) = (i64.abs dims[i].1, i64.abs dims[j].1)
      in a < b || (a == b && i < j)
    let beyond j =
      dims[j].0 == 1
      || i64.abs dims[j].1
         > i64.sum (map (\i -> if is_before i j then reach dims[i] else 0) (iota d))
    let count = i64.product (map (.0) dims)
    let place at =
      (loop (place, rest) = (0, at)
       for (n, s) in dims do
         (place + (rest % n) * i64.abs s, rest / n)).0
    let places = i64.sum (map reach dims) + 1
    in count == 0
       || all beyond (iota d)
       || all (<= 1i32) (hist (+) 0 places (map place (iota count)) (replicate count 1))

  -- | Replace the elements at `off + i*s1 + j*s2`.
  def set_2d 't [n] [n1] [n2] (as: *[n]t) (off: i64) (s1: i64) (s2: i64) (vs: [n1][n2]t) : *[n]t =
    assert (places_are_distinct [(n1, s1), (n2, s2)])
      (intrinsics.flat_update_2d as off s1 s2 vs)

  -- | Replace the elements at `off + i*s1 + j*s2 + k*s3`.
  def set_3d 't [n] [n1] [n2] [n3]
      (as: *[n]t)
      (off: i64)
      (s1: i64)
      (s2: i64)
      (s3: i64)
      (vs: [n1][n2][n3]t) : *[n]t =
    assert (places_are_distinct [(n1, s1), (n2, s2), (n3, s3)])
      (intrinsics.flat_update_3d as off s1 s2 s3 vs)

  -- | Replace the elements at `off + i*s1 + j*s2 + k*s3 + l*s4`.
  def set_4d 't [n] [n1] [n2] [n3] [n4]
      (as: *[n]t)
      (off: i64)
      (s1: i64)
      (s2: i64)
      (s3: i64)
      (s4: i64)
      (vs: [n1][n2][n3][n4]t) : *[n]t =
    assert (places_are_distinct [(n1, s1), (n2, s2), (n3, s3), (n4, s4)])
      (intrinsics.flat_update_4d as off s1 s2 s3 s4 vs)
}
