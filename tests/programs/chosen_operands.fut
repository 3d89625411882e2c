-- Reductions that choose one of two elements, and others whose operands may come in any order, have several partial results on
-- CPUs. They agree with the loops that they stand for, whatever is chosen of elements with the same key, and for all sizes.
-- Inputs are arrays of other entry points, for nothing is fused with these.

-- ==
-- entry: first last numbers smaller larger apart unsigned several magnitude product both stored
-- script input { some_keys 0i64 7i64 } output { true }
-- script input { some_keys 1i64 7i64 } output { true }
-- script input { some_keys 15i64 3i64 } output { true }
-- script input { some_keys 16i64 3i64 } output { true }
-- script input { some_keys 17i64 1i64 } output { true }
-- script input { some_keys 32i64 5i64 } output { true }
-- script input { some_keys 33i64 100i64 } output { true }
-- script input { some_keys 1000i64 1i64 } output { true }
-- script input { some_keys 1000i64 20i64 } output { true }
-- script input { some_keys 4099i64 2i64 } output { true }
-- script input { some_keys 200003i64 1000i64 } output { true }
-- script input { some_keys 200003i64 1000000i64 } output { true }

entry some_keys (n: i64) (range: i64) : [n]i32 =
  map (\i -> i32.i64 ((i * 7919 + (i / 3) * 104729) % range - range / 2)) (iota n)

def folded 'a [n] (op: a -> a -> a) (start: a) (xs: [n]a) : a =
  loop acc = start for i < n do op acc xs[i]

-- The least key, and the first position that has it.
entry first [n] (keys: [n]i32) : bool =
  let op (a: f32, i: i64) (b, j) = if a <= b then (a, i) else (b, j)
  let xs = zip (map f32.i32 keys) (iota n)
  in reduce op (f32.inf, -1) xs == folded op (f32.inf, -1) xs

-- The least key, and the last position.
entry last [n] (keys: [n]i32) : bool =
  let op (a: f32, i: i64) (b, j) = if a < b then (a, i) else (b, j)
  let xs = zip (map f32.i32 keys) (iota n)
  in reduce op (f32.inf, -1) xs == folded op (f32.inf, -1) xs

-- What is no number is passed over, also where it comes first.
entry numbers [n] (keys: [n]i32) : bool =
  let op (a: f32, i: i64) (b, j) = if b < a then (b, j) else (a, i)
  let key i x = if i < 20 || i % 3 == 0 then f32.nan else f32.i32 x
  let xs = zip (map2 key (iota n) keys) (iota n)
  in reduce op (f32.inf, -1) xs == folded op (f32.inf, -1) xs

-- Positions are compared.
entry smaller [n] (keys: [n]i32) : bool =
  let op (a: f64, i: i64) (b, j) = if a < b then (a, i) else if b < a then (b, j) else if i < j then (a, i) else (b, j)
  let xs = zip (map f64.i32 keys) (iota n)
  in reduce_comm op (f64.inf, i64.highest) xs == folded op (f64.inf, i64.highest) xs

-- The largest key, and the last position.
entry larger [n] (keys: [n]i32) : bool =
  let op (i: i64, a: i32) (j, b) = if a > b || (a == b && i >= j) then (i, a) else (j, b)
  let xs = zip (iota n) keys
  in reduce op (-1, i32.lowest) xs == folded op (-1, i32.lowest) xs

-- Numbers that do not grow with positions.
entry apart [n] (keys: [n]i32) : bool =
  let op (a: i32, i: i32) (b, j) = if a < b || (a == b && i < j) then (a, i) else (b, j)
  let xs = zip (map (/ 3) keys) (map (% 5) keys)
  in reduce op (i32.highest, i32.highest) xs == folded op (i32.highest, i32.highest) xs

-- Keys without a sign, and what is chosen with them.
entry unsigned [n] (keys: [n]i32) : bool =
  let op (a: u8, x: i32) (b, y) = if b > a then (b, y) else (a, x)
  let xs = zip (map u8.i32 keys) keys
  in reduce op (0, 0) xs == folded op (0, 0) xs

-- More than one value goes with a key.
entry several [n] (keys: [n]i32) : bool =
  let op (x: i32, a: f32, y: i64) (x', b, y') = if a >= b then (x, a, y) else (x', b, y')
  let xs = map3 (\key i j -> (key, f32.i32 (key * key % 11), i * j)) keys (iota n) (map i64.i32 keys)
  in reduce op (0, -f32.inf, 0) xs == folded op (0, -f32.inf, 0) xs

-- There is only a key, and it is not the element.
entry magnitude [n] (keys: [n]i32) : bool =
  let op a b = if i32.abs a > i32.abs b then a else if i32.abs b > i32.abs a then b else i32.max a b
  in reduce_comm op 0 keys == folded op 0 keys

-- Nothing is chosen.
entry product [n] (keys: [n]i32) : bool =
  let op (a: i32, b: i32) (c, d) = (a * c - b * d, a * d + b * c)
  let xs = map (\key -> (key, key + 1)) keys
  in reduce_comm op (1, 0) xs == folded op (1, 0) xs

-- Two reductions of the same elements, of which one is a sum.
entry both [n] (keys: [n]i32) : bool =
  let op (a: i32, i: i64) (b, j) = if a <= b then (a, i) else (b, j)
  let squares = map (\key -> key * key) keys
  let least = reduce op (i32.highest, -1) (zip squares (iota n))
  let sum = i32.sum squares
  in least == folded op (i32.highest, -1) (zip squares (iota n)) && sum == folded (+) 0 squares

-- The elements are results, too.
entry stored [n] (keys: [n]i32) : bool =
  let op (a: i32, i: i64) (b, j) = if a <= b then (a, i) else (b, j)
  let squares = map (\key -> key * key % 1000) keys
  let (_, at) = reduce op (i32.highest, -1) (zip squares (iota n))
  let doubled = map (* 2) squares
  in n == 0 || all (>= doubled[at]) doubled && all (> squares[at]) (take at squares)
