-- Scans by minimum and maximum are found some elements at a time. They agree with the loops that they stand for to the bit: NaN is passed over, and
-- of the two zeros the negative one is less. Their inputs are arrays of other entry points, for nothing is fused with these.

-- ==
-- entry: floats
-- script input { (some_floats 0i64, true) } output { true }
-- script input { (some_floats 0i64, false) } output { true }
-- script input { (some_floats 1i64, true) } output { true }
-- script input { (some_floats 1i64, false) } output { true }
-- script input { (some_floats 63i64, true) } output { true }
-- script input { (some_floats 63i64, false) } output { true }
-- script input { (some_floats 64i64, true) } output { true }
-- script input { (some_floats 64i64, false) } output { true }
-- script input { (some_floats 300i64, true) } output { true }
-- script input { (some_floats 300i64, false) } output { true }
-- script input { (some_floats 1000i64, true) } output { true }
-- script input { (some_floats 1000i64, false) } output { true }
-- script input { (some_floats 4099i64, true) } output { true }
-- script input { (some_floats 4099i64, false) } output { true }

-- ==
-- entry: doubles
-- script input { (some_doubles 0i64, true) } output { true }
-- script input { (some_doubles 0i64, false) } output { true }
-- script input { (some_doubles 1i64, true) } output { true }
-- script input { (some_doubles 1i64, false) } output { true }
-- script input { (some_doubles 63i64, true) } output { true }
-- script input { (some_doubles 63i64, false) } output { true }
-- script input { (some_doubles 64i64, true) } output { true }
-- script input { (some_doubles 64i64, false) } output { true }
-- script input { (some_doubles 300i64, true) } output { true }
-- script input { (some_doubles 300i64, false) } output { true }
-- script input { (some_doubles 1000i64, true) } output { true }
-- script input { (some_doubles 1000i64, false) } output { true }
-- script input { (some_doubles 4099i64, true) } output { true }
-- script input { (some_doubles 4099i64, false) } output { true }

-- ==
-- entry: integers
-- script input { let (xs, ks, us, ws) = some_integers 0i64 in (xs, ks, us, ws, true) } output { true }
-- script input { let (xs, ks, us, ws) = some_integers 0i64 in (xs, ks, us, ws, false) } output { true }
-- script input { let (xs, ks, us, ws) = some_integers 1i64 in (xs, ks, us, ws, true) } output { true }
-- script input { let (xs, ks, us, ws) = some_integers 1i64 in (xs, ks, us, ws, false) } output { true }
-- script input { let (xs, ks, us, ws) = some_integers 63i64 in (xs, ks, us, ws, true) } output { true }
-- script input { let (xs, ks, us, ws) = some_integers 63i64 in (xs, ks, us, ws, false) } output { true }
-- script input { let (xs, ks, us, ws) = some_integers 64i64 in (xs, ks, us, ws, true) } output { true }
-- script input { let (xs, ks, us, ws) = some_integers 64i64 in (xs, ks, us, ws, false) } output { true }
-- script input { let (xs, ks, us, ws) = some_integers 300i64 in (xs, ks, us, ws, true) } output { true }
-- script input { let (xs, ks, us, ws) = some_integers 300i64 in (xs, ks, us, ws, false) } output { true }
-- script input { let (xs, ks, us, ws) = some_integers 1000i64 in (xs, ks, us, ws, true) } output { true }
-- script input { let (xs, ks, us, ws) = some_integers 1000i64 in (xs, ks, us, ws, false) } output { true }
-- script input { let (xs, ks, us, ws) = some_integers 4099i64 in (xs, ks, us, ws, true) } output { true }
-- script input { let (xs, ks, us, ws) = some_integers 4099i64 in (xs, ks, us, ws, false) } output { true }

def pseudo (i: i64) : i64 = i * 7919 % 1013 - 500

def sequential [n] 't (op: t -> t -> t) (ne: t) (xs: [n]t) : [n]t =
  let (_, ys) =
    loop (acc, ys) = (ne, copy (replicate n ne))
    for i < n do
      let acc = op acc xs[i]
      in (acc, ys with [i] = acc)
  in ys

-- Numbers that are mostly not extreme, zeros of both signs, infinities and NaN.
def special 't (of: i64 -> t) (divide: t -> t -> t) (negate: t -> t) (i: i64) : t =
  let zero = of 0
  in match i % 17
     case 3 -> zero
     case 5 -> negate zero
     case 7 -> divide zero zero
     case 11 -> if i > 900 then divide (of 1) zero else of (pseudo i)
     case 13 -> if i > 2000 then divide (of (-1)) zero else of (pseudo i)
     case _ -> if i < 200 then negate zero else of (pseudo i)

-- A loop and not a reduction, which would be fused with the scan, so that each element was found alone.
def same [n] 't (eq: t -> t -> bool) (xs: [n]t) (ys: [n]t) : bool =
  loop good = true for i < n do good && eq xs[i] ys[i]

def agree [n] 't (eq: t -> t -> bool) (op: t -> t -> t) (ne: t) (xs: [n]t) : bool =
  same eq (scan op ne xs) (sequential op ne xs)

entry some_floats (n: i64) : [n]f32 = tabulate n (special f32.i64 (/) f32.neg)

entry some_doubles (n: i64) : [n]f64 = tabulate n (special f64.i64 (/) f64.neg)

entry some_integers (n: i64) : ([n]i64, [n]i32, [n]u64, [n]u32) =
  let xs = tabulate n pseudo
  in (xs, map i32.i64 xs, map u64.i64 xs, map u32.i64 xs)

-- Branches, because two scans of one array are one operator.
entry floats (xs: []f32) (least: bool) : bool =
  let eq a b = (f32.isnan a && f32.isnan b) || f32.to_bits a == f32.to_bits b
  in if least then agree eq f32.min f32.nan xs else agree eq f32.max f32.nan xs

entry doubles (xs: []f64) (least: bool) : bool =
  let eq a b = (f64.isnan a && f64.isnan b) || f64.to_bits a == f64.to_bits b
  in if least then agree eq f64.min f64.inf xs else agree eq f64.max (-f64.inf) xs

entry integers (xs: []i64) (ks: []i32) (us: []u64) (ws: []u32) (least: bool) : bool =
  if least
  then agree (==) i64.min i64.highest xs
       && agree (==) i32.min i32.highest ks
       && agree (==) u64.min u64.highest us
       && agree (==) u32.min u32.highest ws
  else agree (==) i64.max i64.lowest xs
       && agree (==) i32.max i32.lowest ks
       && agree (==) u64.max 0 us
       && agree (==) u32.max 0 ws
