-- | Functions on arrays: parts, shapes, construction, sequential folds.
--
-- Functions whose result type has no `*` may return a view of their argument,
-- in constant time; the argument then counts as used for as long as the result.

import "functional"
import "soacs"

-- | The number of elements, in the outermost dimension. Costs nothing.
--
-- >>> length [7, 8, 9]
-- 3
def length [n] 't (_: [n]t) : i64 = n

-- | Is the array empty?
def null [n] 't (_: [n]t) : bool = n == 0

-- | The first element; a run-time error if there is none.
--
-- >>> head [7, 8, 9]
-- 7
def head [n] 't (x: [n]t) : t = x[0]

-- | The last element; a run-time error if there is none.
--
-- >>> last [7, 8, 9]
-- 9
def last [n] 't (x: [n]t) : t = x[n - 1]

-- | All elements but the first; a run-time error if there are none.
--
-- >>> tail [7, 8, 9]
-- [8, 9]
def tail [n] 't (x: [n]t) : [n - 1]t = x[1:]

-- | All elements but the last; a run-time error if there are none.
--
-- >>> init [7, 8, 9]
-- [7, 8]
def init [n] 't (x: [n]t) : [n - 1]t = x[0:n - 1]

-- | The first `i` elements; a run-time error unless there are that many.
--
-- >>> take 2 [7, 8, 9]
-- [7, 8]
def take [n] 't (i: i64) (x: [n]t) : [i]t = x[0:i]

-- | All elements but the first `i`; a run-time error unless there are that many.
--
-- >>> drop 2 [7, 8, 9]
-- [9]
def drop [n] 't (i: i64) (x: [n]t) : [n - i]t = x[i:]

-- | The same array at the size `n`; a run-time error if that is not its size.
-- The same as `xs :> [n]t`, but useful in a pipeline.
def sized [m] 't (n: i64) (xs: [m]t) : [n]t = xs :> [n]t

-- | Cut an array in two. Where, is decided by the sizes of the results.
def split [n] [m] 't (xs: [n + m]t) : ([n]t, [m]t) = (xs[0:n], xs[n:n + m] :> [m]t)

-- | The elements in the opposite order.
--
-- >>> reverse [7, 8, 9]
-- [9, 8, 7]
def reverse [n] 't (x: [n]t) : [n]t = x[::-1]

-- | One array after the other. Work O(n + m), span O(1).
--
-- >>> [7, 8] ++ [9]
-- [7, 8, 9]
def (++) [n] [m] 't (xs: [n]t) (ys: [m]t) : *[n + m]t = intrinsics.concat xs ys

-- | The same as `++`.
def concat [n] [m] 't (xs: [n]t) (ys: [m]t) : *[n + m]t = intrinsics.concat xs ys

-- | The numbers from 0 to n - 1; a run-time error if `n` is negative.
--
-- >>> iota 4
-- [0, 1, 2, 3]
def iota (n: i64) : *[n]i64 = 0..1..<n

-- | The indices of an array, 0 to n - 1.
def indices [n] 't (_: [n]t) : *[n]i64 = 0..1..<n

-- | Move every element `r` places towards the front, and those that fall off to
-- the end; with a negative `r` the other way round. Any `r` is allowed.
-- `(rotate r a)[i]` is `a[(i + r) % n]`. Work O(n), span O(1).
--
-- >>> rotate 1 [7, 8, 9]
-- [8, 9, 7]
def rotate [n] 't (r: i64) (a: [n]t) : *[n]t =
  let by = if n == 0 then 0 else r % n
  let source (i: i64) = if i + by < n then i + by else i + by - n
  in map (\i -> #[unsafe] a[source i]) (0..1..<n)

-- | An array of `n` times the same value; a run-time error if `n` is negative.
-- Work O(n), span O(1).
--
-- >>> replicate 3 true
-- [true, true, true]
def replicate 't (n: i64) (x: t) : *[n]t = map (\_ -> x) (0..1..<n)

-- | As `replicate`, with the size decided by how the result is used.
def rep 't [n] (x: t) : *[n]t = replicate n x

-- | The same value with no part shared with the argument, so that it may be
-- consumed while the argument stays usable.
def copy '~t (a: t) : *t = intrinsics.copy a

-- | As `copy`, and also puts all arrays in memory in row-major order. For the
-- rare case where one knows better than the compiler.
def manifest 't (a: t) : *t = intrinsics.manifest a

-- | Put the rows of an array one after the other.
--
-- >>> flatten [[1, 2], [3, 4]]
-- [1, 2, 3, 4]
def flatten [n] [m] 't (xs: [n][m]t) : [n * m]t = intrinsics.flatten xs

-- | Merge the three outer dimensions into one.
def flatten_3d [n] [m] [l] 't (xs: [n][m][l]t) : [n * m * l]t = flatten (flatten xs)

-- | Merge the four outer dimensions into one.
def flatten_4d [n] [m] [l] [k] 't (xs: [n][m][l][k]t) : [n * m * l * k]t =
  flatten (flatten_3d xs)

-- | Cut an array into rows of equal size. The inverse of `flatten`.
def unflatten 't [n] [m] (xs: [n * m]t) : [n][m]t = intrinsics.unflatten n m xs

-- | Cut an array into three dimensions.
def unflatten_3d 't [n] [m] [l] (xs: [n * m * l]t) : [n][m][l]t = unflatten (unflatten xs)

-- | Cut an array into four dimensions.
def unflatten_4d 't [n] [m] [l] [k] (xs: [n * m * l * k]t) : [n][m][l][k]t =
  unflatten (unflatten_3d xs)

-- | Exchange the two outer dimensions.
--
-- >>> transpose [[1, 2, 3], [4, 5, 6]]
-- [[1, 4], [2, 5], [3, 6]]
def transpose [n] [m] 't (a: [n][m]t) : [m][n]t = intrinsics.transpose a

-- | Are all elements true? True if there are none. Work O(n), span O(log n).
def and [n] (xs: [n]bool) : bool = all id xs

-- | Is some element true? False if there are none. Work O(n), span O(log n).
def or [n] (xs: [n]bool) : bool = any id xs

-- | Fold from the first element to the last, one after the other: for
-- operators that are not associative. Work O(n), span O(n).
--
-- >>> foldl (-) 10 [1, 2, 3]
-- 4
def foldl [n] 'a 'b (f: a -> b -> a) (acc: a) (bs: [n]b) : a =
  loop acc for b in bs do f acc b

-- | Fold from the last element to the first, one after the other. Work O(n),
-- span O(n).
--
-- >>> foldr (-) 10 [1, 2, 3]
-- -8
def foldr [n] 'a 'b (f: b -> a -> a) (acc: a) (bs: [n]b) : a =
  loop acc for b in reverse bs do f b acc

-- | The array whose element i is `f i`. Work O(n), span O(1).
--
-- >>> tabulate 4 (\i -> i * i)
-- [0, 1, 4, 9]
def tabulate 'a (n: i64) (f: i64 -> a) : *[n]a = map f (0..1..<n)

-- | The array whose element i, j is `f i j`.
--
-- >>> tabulate_2d 2 3 (\i j -> 10 * i + j)
-- [[0, 1, 2], [10, 11, 12]]
def tabulate_2d 'a (n: i64) (m: i64) (f: i64 -> i64 -> a) : *[n][m]a =
  map (\i -> tabulate m (f i)) (0..1..<n)

-- | The array whose element i, j, k is `f i j k`.
def tabulate_3d 'a (n: i64) (m: i64) (o: i64) (f: i64 -> i64 -> i64 -> a) : *[n][m][o]a =
  map (\i -> tabulate_2d m o (f i)) (0..1..<n)
