-- Rows of different sizes that are stored one after the other, for programs that are flattened by hand. `offsets` says where
-- each row begins; its last element is the size of everything.

-- | Where rows of the given sizes begin.
def offsets [n] (sizes: [n]i64) : [n + 1]i64 = sized (n + 1) ([0] ++ scan (+) 0 sizes)

-- | The row that each element belongs to.
def owners [k] (m: i64) (offsets: [k]i64) : [m]i64 =
  let begin i = if offsets[i] < offsets[i + 1] then offsets[i] else -1
  in scan i64.max 0 (spread m 0 (map begin (iota (k - 1))) (iota (k - 1)))

-- | Whether each element is the first of its row.
def heads [k] (m: i64) (offsets: [k]i64) : [m]bool =
  spread m false (take (k - 1) offsets) (replicate (k - 1) true)

-- | A scan that begins anew with each row.
def segmented_scan [m] 'a (op: a -> a -> a) (ne: a) (heads: [m]bool) (xs: [m]a) : [m]a =
  (unzip (scan (\(f, x) (g, y) -> (f || g, if g then y else op x y)) (false, ne) (zip heads xs))).1

-- | A reduction of each row.
def segmented_reduce [k] [m] 'a
    (op: a -> a -> a)
    (ne: a)
    (offsets: [k]i64)
    (heads: [m]bool)
    (xs: [m]a) : [k - 1]a =
  let sums = segmented_scan op ne heads xs
  in map (\i -> if offsets[i] < offsets[i + 1] then sums[offsets[i + 1] - 1] else ne) (iota (k - 1))

-- | A number that looks random.
def hash (i: i64) : i64 =
  let x = u64.i64 i * 0x9e3779b97f4a7c15 + 0x632be59bd9b4e019
  let x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
  let x = (x ^ (x >> 27)) * 0x94d049bb133111eb
  in i64.u64 ((x ^ (x >> 31)) >> 1)

-- | Sizes of `n` rows that are about `total` together, the k-th largest of them in proportion to 1 / k.
def zipf (n: i64) (total: i64) : [n]i64 =
  let norm = f64.log (f64.i64 n) + 0.5772156649
  in map (\i ->
            let rank = 1 + i * 2654435761 % n
            in i64.f64 (f64.i64 total / (norm * f64.i64 rank)))
         (iota n)

-- | Whether arrays of unknown sizes are equal.
def equal [n] [m] (xs: [n]i64) (ys: [m]i64) : bool = n == m && and (map2 (==) xs (ys :> [n]i64))
