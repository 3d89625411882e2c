-- Streams in any number of chunks.

-- ==
-- entry: sums
-- input { 0i64 } output { 0i64 1i64 }
-- input { 1i64 } output { 0i64 1i64 }
-- input { 7i64 } output { 21i64 2i64 }
-- input { 100000i64 } output { 4999950000i64 2i64 }

-- Scalars as accumulators.
entry sums (n: i64) : (i64, i64) =
  let (r, _) =
    stream.red (\(a, m) (b, k) -> (a + b, i64.max m k))
               (\m (a, k) (c: [m]i64) -> ((a + i64.sum c, i64.max k (1 + i64.min 1 (c[m - 1]))), replicate m ()))
               (0, 1)
               (iota n)
  in r

-- ==
-- entry: counted
-- input { 3i64 0i64 } output { [0i64, 0i64, 0i64] }
-- input { 3i64 10i64 } output { [4i64, 3i64, 3i64] }
-- input { 4i64 100001i64 } output { [25001i64, 25000i64, 25000i64, 25000i64] }

-- An array as an accumulator, which chunks update in place.
entry counted (k: i64) (n: i64) : [k]i64 =
  (stream.red_comm (map2 (+))
                   (\m (acc: *[k]i64) (c: [m]i64) ->
                      (loop acc for i < m do
                         let at = c[i] % k
                         in acc with [at] = acc[at] + 1
                      , replicate m ()))
                   (replicate k 0)
                   (iota n)).0

-- ==
-- entry: ordered
-- input { 0i64 } output { [1i64, 0i64, 0i64, 1i64] }
-- input { 5i64 } output { [8i64, 5i64, 5i64, 3i64] }
-- input { 90i64 } output { [4660046610375530309i64, 2880067194370816120i64, 2880067194370816120i64, 1779979416004714189i64] }

-- Products of matrices are combined in order: here powers, with a different matrix at every third position.
entry ordered (n: i64) : [4]i64 =
  let times (a: [4]i64) (b: [4]i64) : [4]i64 =
    [ a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3]
    , a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3] ]
  in (stream.red times
                 (\m (acc: *[4]i64) (c: [m]i64) ->
                    (copy (loop acc = copy acc for _i < m do times acc [1, 1, 1, 0]), map (\_ -> ()) c))
                 [1, 0, 0, 1]
                 (iota n)).0

-- ==
-- entry: shear
-- input { 4i64 } output { true }
-- input { 1001i64 } output { true }

-- An operator that is not commutative: the last element of all that are not empty, and the number of elements.
entry shear (n: i64) : bool =
  let ((last, count), doubled) =
    stream.red (\(a, i) (b, j) -> (if j == 0 then a else b, i + j))
               (\m (_, _) (c: [m]i64) -> ((c[m - 1], m), map (* 2) c))
               (-1, 0)
               (iota n)
  in last == n - 1 && count == n && and (map2 (==) doubled (map (* 2) (iota n)))

-- ==
-- entry: mapped
-- input { 0i64 } output { 0i64 0i64 }
-- input { 1i64 } output { 1i64 5i64 }
-- input { 1000i64 } output { 1000i64 1503500i64 }
-- input { 65537i64 } output { 65537i64 6442876933i64 }

-- The array results of chunks are concatenated: every chunk begins with a product and goes on with sums.
entry mapped (n: i64) : (i64, i64) =
  let ys =
    stream.map (\m (c: [m]i64) ->
                  let out = replicate m (5 + 3 * c[0])
                  in loop out for i in 1..<m do out with [i] = out[i - 1] + 3)
               (iota n)
  in (length ys, i64.sum ys)

-- ==
-- entry: one
-- input { 0i64 } output { 0i64 }
-- input { 777i64 } output { 301476i64 }

-- The source wants one chunk.
entry one (n: i64) : i64 =
  (#[sequential] stream.red (+) (\m a (c: [m]i64) -> (a + i64.sum c, replicate m ())) 0 (iota n)).0
