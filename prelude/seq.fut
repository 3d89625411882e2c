-- | Sequences: data that is read front to back, a chunk at a time, and need not fit in memory.

import "soacs"
import "array"
import "functional"

-- The functions on arrays, under names that the module below does not take.
local def map_array 'a 'b [n] (f: a -> b) (as: [n]a) : [n]b = map f as
local def scan_array 'a [n] (op: a -> a -> a) (ne: a) (as: [n]a) : [n]a = scan op ne as
local def filter_array 'a [n] (p: a -> bool) (as: [n]a) : []a = filter p as
local def length_of 'a [n] (_: [n]a) : i64 = n
local def last_of 'a [n] (default: a) (as: [n]a) : a =
  if n == 0 then default else #[unsafe] as[n - 1]

-- | Operators on sequences.
--
-- A sequence `seq a` is a stream of elements of type `a`, which is any type without functions and sequences. The sizes of elements
-- that are arrays may differ from one element to the next (`seq ([]f32)`), or be the same for all (`seq ([n]f32)`).
-- A sequence can be bound by `let`, passed to functions, and be in tuples and records. It is not an array: it cannot be
-- indexed, is no element of arrays and of other sequences, and no result of branches and loops.
--
-- Nothing is computed before an operator that yields no sequence (`reduce`, `hist`, `to_array` ...) asks for it: then the source
-- is read once, and each chunk of it goes through all operators. Results do not depend on how the source is cut into
-- chunks, except that sums of floats are associated differently.
module seq = {
  -- | The elements of an array: of its outermost dimension.
  def of_array [n] 'a (as: [n]a) : seq a = intrinsics.seq_of_array as

  -- | The rows of a matrix; the same as `of_array`.
  def of_rows [n] [m] 'a (as: [n][m]a) : seq ([m]a) = intrinsics.seq_of_array as

  -- | Pieces of an array, one after the other: the first has `sizes[0]` elements, and so on. All of them must be in the array.
  def of_segments [n] [m] 'a (sizes: [n]i64) (values: [m]a) : seq ([]a) =
    intrinsics.seq_of_segments sizes values

  -- | The results of a function for 0 to n - 1, which may differ in size.
  def generate '~a (n: i64) (f: i64 -> a) : seq a =
    intrinsics.seq_map f (intrinsics.seq_of_array (0..1..<n))

  -- | The numbers from 0 to n - 1.
  def iota (n: i64) : seq i64 = intrinsics.seq_of_array (0..1..<n)

  -- | Apply a function to every element. Its results may differ in size.
  def map '~a '~b (f: a -> b) (as: seq a) : seq b = intrinsics.seq_map f as

  -- | The corresponding elements of two sequences, which must have the same length.
  def zip '~a '~b (as: seq a) (bs: seq b) : seq (a, b) = intrinsics.seq_zip as bs

  -- | Apply a function to the corresponding elements of two sequences, which must have the same length.
  def map2 '~a '~b '~c (f: a -> b -> c) (as: seq a) (bs: seq b) : seq c =
    intrinsics.seq_map (\(a, b) -> f a b) (intrinsics.seq_zip as bs)

  -- | The first and the second parts of pairs.
  def unzip '~a '~b (abs: seq (a, b)) : (seq a, seq b) =
    (intrinsics.seq_map (\(a, _) -> a) abs, intrinsics.seq_map (\(_, b) -> b) abs)

  -- | The elements with their indices, from 0.
  def enumerate '~a (as: seq a) : seq (i64, a) = intrinsics.seq_enumerate as

  -- | The elements for which a predicate holds.
  def filter '~a (p: a -> bool) (as: seq a) : seq a = intrinsics.seq_filter p as

  -- | The elements of the elements.
  def flat 'a (as: seq ([]a)) : seq a = intrinsics.seq_flat as

  -- | Apply a function that yields an array of any size, and take the elements of all of these.
  def flat_map '~a 'b (f: a -> ?[k].[k]b) (as: seq a) : seq b = flat (map f as)

  -- | Treat the sequence in chunks of any size, handing a state on from each to the next. The result must not depend on how it
  -- is cut, and an empty chunk must change nothing; nothing checks that.
  def carry 's 'a 'b (f: s -> (k: i64) -> [k]a -> (s, [k]b)) (s: s) (as: seq a) : seq b =
    intrinsics.seq_carry (\k _ s (as: [k]a) -> f s k as) s as

  -- | Inclusive prefix scan with an associative operator and its neutral element.
  def scan 'a (op: a -> a -> a) (ne: a) (as: seq a) : seq a =
    carry (\s k (as: [k]a) -> let bs = map_array (op s) (scan_array op ne as) in (last_of s bs, bs))
          ne
          as

  -- | Windows of `k` neighbouring elements, each `step` elements after the one before. What is left at the end and makes no
  -- whole window is dropped. Both numbers must be positive.
  def windows 'a (k: i64) (step: i64) (as: seq a) : seq ([k]a) =
    let windows_have_elements = k > 0 && step > 0
    let valid = assert windows_have_elements true
    let cut (m: i64) (_: bool) (skip: i64, filled: i64, buffer: [k]a) (as: [m]a)
        : ?[w].((i64, i64, [k]a), [w][k]a) =
      let all = buffer[:filled] ++ as
      let have = filled + m
      let skipped = if skip == 0 then 0 else intrinsics.smin64 (skip, have)
      let rest = all[skipped:]
      let have = have - skipped
      let w = if valid && have >= k then (have - k) / step + 1 else 0
      let used = intrinsics.smin64 (have, w * step)
      let kept = have - used
      let buffer =
        map_array (\i -> if i < kept then #[unsafe] rest[used + i] else #[unsafe] buffer[i])
                  (0..1..<k)
      in ( (skip - skipped + w * step - used, kept, buffer)
         , map_array (\i -> #[unsafe] (rest[i * step:i * step + k] :> [k]a)) (0..1..<w)
         )
    in intrinsics.seq_chunks cut (0, 0, intrinsics.seq_blank k) as

  -- | Rows of `k` elements. It is an error if the length of the sequence is not a multiple of `k`.
  def group 'a (k: i64) (as: seq a) : seq ([k]a) =
    let rows_have_elements = k > 0
    let valid = assert rows_have_elements true
    let cut (m: i64) (last: bool) (filled: i64, buffer: [k]a) (as: [m]a)
        : ?[w].((i64, [k]a), [w][k]a) =
      let all = buffer[:filled] ++ as
      let w = if valid then (filled + m) / k else 0
      let used = w * k
      let kept = filled + m - used
      let length_is_a_multiple = !last || kept == 0
      let complete = assert length_is_a_multiple true
      let buffer =
        map_array (\i -> if i < kept then #[unsafe] all[used + i] else #[unsafe] buffer[i])
                  (0..1..<k)
      in ( (if complete then kept else 0, buffer)
         , map_array (\i -> #[unsafe] (all[i * k:i * k + k] :> [k]a)) (0..1..<w)
         )
    in intrinsics.seq_chunks cut (0, intrinsics.seq_blank k) as

  -- | Combine all elements in order with an associative operator; `ne` if there are none.
  def reduce 'a (op: a -> a -> a) (ne: a) (as: seq a) : a =
    intrinsics.seq_fold (\k s (as: [k]a) -> op s (intrinsics.reduce op ne as)) ne as

  -- | As `reduce`, for an operator that is also commutative.
  def reduce_comm 'a (op: a -> a -> a) (ne: a) (as: seq a) : a =
    intrinsics.seq_fold (\k s (as: [k]a) -> op s (intrinsics.reduce_comm op ne as)) ne as

  -- | Fold the sequence chunk by chunk. The result must not depend on how it is cut: folding a chunk and then another one must be
  -- the same as folding both at once. Nothing checks that.
  def fold 's 'a (f: s -> (k: i64) -> [k]a -> s) (s: s) (as: seq a) : s =
    intrinsics.seq_fold (\k s (as: [k]a) -> if k == 0 then s else f s k as) s as

  -- | A histogram: element i of the result combines, starting from `ne`, the second parts of all pairs whose first part is i. Pairs with
  -- other indices are ignored. The operator must be associative and commutative.
  def hist 'a (op: a -> a -> a) (ne: a) (k: i64) (as: seq (i64, a)) : [k]a =
    intrinsics.seq_fold (\m (dest: *[k]a) (as: [m](i64, a)) ->
                           let (is, vs) = intrinsics.unzip as
                           in intrinsics.hist_1d 1 dest op ne is vs)
                        (intrinsics.map (\_ -> ne) (0..1..<k))
                        as

  -- | The number of elements.
  def length '~a (as: seq a) : i64 =
    intrinsics.seq_fold (\k s (_: [k]bool) -> s + k) 0 (intrinsics.seq_map (\_ -> true) as)

  -- | Does the predicate hold for all elements? True if there are none.
  def all '~a (p: a -> bool) (as: seq a) : bool =
    intrinsics.seq_fold (\k s (as: [k]bool) -> s && intrinsics.reduce_comm (\x y -> x && y) true as)
                        true
                        (intrinsics.seq_map p as)

  -- | Does the predicate hold for some element? False if there are none.
  def any '~a (p: a -> bool) (as: seq a) : bool =
    intrinsics.seq_fold (\k s (as: [k]bool) ->
                           s || intrinsics.reduce_comm (\x y -> x || y) false as)
                        false
                        (intrinsics.seq_map p as)

  -- | The smallest element, as the function tells, which says whether the first is at most as large as the second; `largest` if there is none.
  def minimum 'a (le: a -> a -> bool) (largest: a) (as: seq a) : a =
    reduce_comm (\x y -> if le x y then x else y) largest as

  -- | The largest element likewise; `smallest` if there is none.
  def maximum 'a (le: a -> a -> bool) (smallest: a) (as: seq a) : a =
    reduce_comm (\x y -> if le x y then y else x) smallest as

  -- | How many elements satisfy a predicate?
  def count '~a (p: a -> bool) (as: seq a) : i64 =
    intrinsics.seq_fold (\k s (as: [k]bool) ->
                           s
                           + intrinsics.reduce_comm (\x y -> x + y)
                                                    0
                                                    (map_array (\b -> if b then 1i64 else 0) as))
                        0
                        (intrinsics.seq_map p as)

  -- | The last element; `default` if there is none.
  def last 'a (default: a) (as: seq a) : a =
    intrinsics.seq_fold (\k s (as: [k]a) -> last_of s as) default as

  -- | All elements, in an array.
  def to_array 'a (as: seq a) : *[]a = intrinsics.seq_array as

  -- | The elements of the elements, in an array.
  def elements 'a (as: seq ([]a)) : *[]a = intrinsics.seq_array (flat as)

  -- | All elements, which must have `k` elements each, as the rows of an array. Another size is an error.
  def tabulate 'a (k: i64) (as: seq ([]a)) : *[][k]a =
    intrinsics.seq_array (map (\row -> row :> [k]a) as)

  -- | Arrays of neighbouring elements that are equal, as the function tells. An array is in memory as a whole.
  def group_by 'a (same: a -> a -> bool) (as: seq a) : seq ([]a) =
    let cut (m: i64) (last: bool) (c: i64) (left: [c]a) (as: [m]a)
        : ?[g][t][r].([g]i64, [t]a, [r]a) =
      let values = left ++ as
      let n = c + m
      let starts =
        filter_array (\i -> i == 0 || !(same (#[unsafe] values[i - 1]) (#[unsafe] values[i])))
                     (0..1..<n)
      let all = length_of starts
      let closed = if last || all == 0 then all else all - 1
      let end (j: i64) = if j < all then #[unsafe] starts[j] else n
      let sizes = map_array (\j -> end (j + 1) - end j) (0..1..<closed)
      let used = end closed
      in (sizes, #[unsafe] values[:used], #[unsafe] values[used:])
    in intrinsics.seq_pieces cut (intrinsics.seq_blank 0) as
}
