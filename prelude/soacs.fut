-- | The parallel operations on arrays that take functions.
--
-- The costs given count each application of a function argument as O(1). A
-- reduction's or a scan's operator must be associative, with the given neutral
-- element, or the result is unspecified; nothing checks that.

import "zip"

local def fill 't (n: i64) (x: t) : *[n]t = intrinsics.map (\_ -> x) (0..1..<n)

-- | Apply a function to every element. Work O(n), span O(1).
--
-- >>> map (\x -> x * x) [1, 2, 3]
-- [1, 4, 9]
def map 'a [n] 'x (f: a -> x) (as: [n]a) : *[n]x = intrinsics.map f as

-- | The same as `map`.
def map1 'a [n] 'x (f: a -> x) (as: [n]a) : *[n]x = intrinsics.map f as

-- | Apply a function to the corresponding elements of two arrays.
--
-- >>> map2 (+) [1, 2, 3] [10, 20, 30]
-- [11, 22, 33]
def map2 'a 'b [n] 'x (f: a -> b -> x) (as: [n]a) (bs: [n]b) : *[n]x =
  intrinsics.map (\(a, b) -> f a b) (zip as bs)

-- | Apply a function to the corresponding elements of three arrays.
def map3 'a 'b 'c [n] 'x (f: a -> b -> c -> x) (as: [n]a) (bs: [n]b) (cs: [n]c) : *[n]x =
  intrinsics.map (\(a, b, c) -> f a b c) (zip3 as bs cs)

-- | Apply a function to the corresponding elements of four arrays.
def map4 'a 'b 'c 'd [n] 'x (f: a -> b -> c -> d -> x)
         (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) : *[n]x =
  intrinsics.map (\(a, b, c, d) -> f a b c d) (zip4 as bs cs ds)

-- | Apply a function to the corresponding elements of five arrays.
def map5 'a 'b 'c 'd 'e [n] 'x (f: a -> b -> c -> d -> e -> x)
         (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) (es: [n]e) : *[n]x =
  intrinsics.map (\(a, b, c, d, e) -> f a b c d e) (zip5 as bs cs ds es)

-- | Combine all elements in order with an associative operator; `ne` if there
-- are none. Work O(n), span O(log n).
--
-- >>> reduce (+) 0 [1, 2, 3]
-- 6
def reduce [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a) : a = intrinsics.reduce op ne as

-- | As `reduce`, for an operator that is also commutative. The elements may be
-- taken in any order, which is faster with an operator the compiler does not
-- know.
def reduce_comm [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a) : a = intrinsics.reduce_comm op ne as

-- | A generalised histogram: element i of the result combines all values of
-- `as` whose index in `is` is i, starting from `ne`. Indices outside 0 to k - 1
-- are ignored. The operator must be associative and commutative. Work O(k + n),
-- span O(n) if all indices agree, usually O(log n).
--
-- >>> hist (+) 0 3 [0, 2, 0, 7] [1, 1, 1, 1]
-- [2, 0, 1]
def hist 'a [n] (op: a -> a -> a) (ne: a) (k: i64) (is: [n]i64) (as: [n]a) : *[k]a =
  intrinsics.hist_1d 1 (fill k ne) op ne is as

-- | As `hist`, but starting from the elements of an existing array, which is
-- consumed. Work O(n).
def reduce_by_index 'a [k] [n] (dest: *[k]a) (f: a -> a -> a) (ne: a) (is: [n]i64) (as: [n]a)
    : *[k]a =
  intrinsics.hist_1d 1 dest f ne is as

-- | As `reduce_by_index`, with pairs as indices. A pair of which any part is out
-- of bounds is ignored.
def reduce_by_index_2d 'a [k] [n] [m] (dest: *[k][m]a) (f: a -> a -> a) (ne: a)
                       (is: [n](i64, i64)) (as: [n]a) : *[k][m]a =
  intrinsics.hist_2d 1 dest f ne is as

-- | As `reduce_by_index`, with triples as indices.
def reduce_by_index_3d 'a [k] [n] [m] [l] (dest: *[k][m][l]a) (f: a -> a -> a) (ne: a)
                       (is: [n](i64, i64, i64)) (as: [n]a) : *[k][m][l]a =
  intrinsics.hist_3d 1 dest f ne is as

-- | Inclusive prefix scan: element i of the result combines elements 0 to i.
-- Work O(n), span O(log n).
--
-- >>> scan (+) 0 [1, 2, 3]
-- [1, 3, 6]
def scan [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a) : *[n]a = intrinsics.scan op ne as

-- | Exclusive prefix scan: element i of the result combines the elements before
-- i, so the first is `ne` and the last element of `as` plays no part.
-- Work O(n), span O(log n).
--
-- >>> exscan (+) 0 [1, 2, 3]
-- [0, 1, 3]
def exscan [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a) : *[n]a =
  let sums = intrinsics.scan op ne as
  in intrinsics.map (\i -> if i == 0 then ne else #[unsafe] sums[i - 1]) (0..1..<n)

-- | Does the predicate hold for all elements? True if there are none.
-- Work O(n), span O(log n).
--
-- >>> all (> 0) [1, 2, 3]
-- true
def all [n] 'a (f: a -> bool) (as: [n]a) : bool =
  intrinsics.reduce_comm (\x y -> x && y) true (intrinsics.map f as)

-- | Does the predicate hold for some element? False if there are none.
-- Work O(n), span O(log n).
--
-- >>> any (> 2) [1, 2, 3]
-- true
def any [n] 'a (f: a -> bool) (as: [n]a) : bool =
  intrinsics.reduce_comm (\x y -> x || y) false (intrinsics.map f as)

-- | An array of `k` times `x`, overwritten with values at the given positions
-- as by `scatter`. Work O(k + n), span O(1).
--
-- >>> spread 4 0 [1, 3] [7, 8]
-- [0, 7, 0, 8]
def spread 't [n] (k: i64) (x: t) (is: [n]i64) (vs: [n]t) : *[k]t =
  intrinsics.scatter (fill k x) is vs

-- | Overwrite elements of an array in place: `vs[i]` goes to position `is[i]`.
-- Positions out of bounds are ignored. If a position occurs more than once, the
-- values for it must be equal, or it is unspecified which of them is written.
-- Work O(n), span O(1), whatever the size of `dest`.
--
-- >>> scatter [1, 2, 3] [0, 5] [9, 9]
-- [9, 2, 3]
def scatter 't [k] [n] (dest: *[k]t) (is: [n]i64) (vs: [n]t) : *[k]t =
  intrinsics.scatter dest is vs

-- | As `scatter`, with pairs as positions. A pair of which any part is out of
-- bounds is ignored.
def scatter_2d 't [k] [n] [l] (dest: *[k][n]t) (is: [l](i64, i64)) (vs: [l]t) : *[k][n]t =
  intrinsics.scatter_2d dest is vs

-- | As `scatter`, with triples as positions.
def scatter_3d 't [k] [n] [o] [l] (dest: *[k][n][o]t) (is: [l](i64, i64, i64)) (vs: [l]t)
    : *[k][n][o]t =
  intrinsics.scatter_3d dest is vs

-- | The elements for which the predicate holds, in their order. Work O(n), span
-- O(log n).
--
-- >>> filter (> 1) [1, 2, 3]
-- [2, 3]
def filter [n] 'a (p: a -> bool) (as: [n]a) : *[]a =
  let (sorted, sizes) = intrinsics.partition 1 (\x -> if p x then 0 else 1) as
  in sorted[:sizes[0]]

-- | The elements for which the predicate holds, and those for which it does
-- not, both in their order. Work O(n), span O(log n).
--
-- >>> partition (> 1) [1, 2, 3]
-- ([2, 3], [1])
def partition [n] 'a (p: a -> bool) (as: [n]a) : ?[k].([k]a, [n - k]a) =
  let (sorted, sizes) = intrinsics.partition 2 (\x -> if p x then 0 else 1) as
  let k = sizes[0]
  in (sorted[:k], sorted[k:])

-- | The elements for which the first predicate holds, those for which only the
-- second does, and the others, all in their order. Work O(n), span O(log n).
def partition2 [n] 'a (p1: a -> bool) (p2: a -> bool) (as: [n]a)
    : ?[k][l].([k]a, [l]a, [n - k - l]a) =
  let class x = if p1 x then 0 else if p2 x then 1 else 2
  let (sorted, sizes) = intrinsics.partition 3 class as
  let k = sizes[0]
  let l = sizes[1]
  in (sorted[:k], sorted[k:k + l] :> [l]a, sorted[k + l:] :> [n - k - l]a)

-- | Apply a function whose first result may have a different size for every
-- element, and put these results one after the other. Returns
--
-- 1. the size of each piece,
-- 2. for each element of the concatenation, whether it is the first of a piece,
-- 3. the offset of each piece (that of an empty piece is where it would be),
-- 4. the concatenation of all pieces, of size m,
-- 5. the second results of the function.
--
-- Work O(n + m), span O(log n) beyond that of the function.
def flatmap [n] 'a 'b 'c (f: a -> ?[k].([k]b, c)) (as: [n]a)
    : ?[m].([n]i64, [m]bool, [n]i64, [m]b, [n]c) =
  intrinsics.flatmap f as

-- | As `flatmap`, for a function that has only the result of varying size.
def flatmap' [n] 'a 'b (f: a -> ?[k].[k]b) (as: [n]a)
    : ?[m].([n]i64, [m]bool, [n]i64, [m]b) =
  let (sizes, flags, offsets, values, _) = intrinsics.flatmap (\a -> (f a, ())) as
  in (sizes, flags, offsets, values)
