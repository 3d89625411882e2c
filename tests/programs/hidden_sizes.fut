-- Sizes that an abstract type hides may change in a loop and differ between branches.
module stack
  : {
      type~ t
      val init : i64 -> t
      val push : i64 -> t -> t
      val size : t -> i64
      val sum : t -> i64
    } = {
  type~ t = ?[n].([n]i64, [n]i64)

  def init (n: i64) : t = (iota n, iota n)

  def push (x: i64) ((xs, ys): t) : t = (xs ++ [x], [x] ++ ys)

  def size ((xs, _): t) = length xs

  def sum ((xs, ys): t) = i64.sum xs + i64.sum ys
}

-- ==
-- entry: pushed
-- input { 0i64 } output { 0i64 0i64 }
-- input { 3i64 } output { 6i64 12i64 }
entry pushed (n: i64) =
  let t = loop t = stack.init n for i < n do stack.push i t
  in (stack.size t, stack.sum t)

-- ==
-- entry: until
-- input { 5i64 } output { 5i64 }
-- input { 0i64 } output { 1i64 }
entry until (n: i64) : i64 =
  stack.size (loop t = stack.init 1 while stack.size t < n do stack.push 1 t)

-- ==
-- entry: chosen
-- input { true 3i64 } output { 6i64 }
-- input { false 3i64 } output { 20i64 }
entry chosen (b: bool) (n: i64) : i64 =
  stack.sum (if b then stack.init n else stack.push 7 (stack.init n))

-- Through a type parameter.
def times '~a (n: i64) (f: a -> a) (x: a) : a = loop y = x for _i < n do f y

-- ==
-- entry: repeated
-- input { 4i64 } output { 8i64 }
entry repeated (n: i64) : i64 = stack.size (times n (stack.push 2) (stack.init n))

-- A size that is the argument of an abstract type.
module vector
  : {
      type t [n]
      val init : (n: i64) -> t [n]
      val grow [n] : t [n] -> t [n + 1]
      val size [n] : t [n] -> i64
      val sum [n] : t [n] -> i64
    } = {
  type t [n] = [n]i64

  def init (n: i64) = iota n

  def grow [n] (xs: [n]i64) : [n + 1]i64 = xs ++ [n]

  def size [n] (_: [n]i64) = n

  def sum [n] (xs: [n]i64) = i64.sum xs
}

-- ==
-- entry: grown
-- input { 3i64 } output { 6i64 15i64 }
entry grown (n: i64) =
  let v = loop v = vector.init n for _i < n do vector.grow v
  in (vector.size v, vector.sum v)

-- Declared to stand for anything, functions included, an abstract type may still be data.
module any
  : {
      type^ t
      val init : i64 -> t
      val next : t -> t
      val size : t -> i64
    } = {
  type^ t = []i64

  def init (n: i64) : []i64 = iota n

  def next (xs: []i64) : []i64 = xs ++ xs

  def size (xs: []i64) = length xs
}

-- ==
-- entry: any_chosen
-- input { true 3i64 } output { 3i64 }
-- input { false 3i64 } output { 24i64 }
entry any_chosen (b: bool) (n: i64) : i64 =
  any.size (if b then any.init n else loop t = any.init n for _i < 3i32 do any.next t)

-- What a local function only passes on has another size with every call.
-- ==
-- entry: passed_on
-- input { 2i64 } output { [0i64, 1i64, 0i64, 1i64, 2i64] [0i64, 0i64, 1i64] }
entry passed_on (n: i64) =
  let at f = (f n, f (n + 1))
  let (as, bs) = at iota
  let (cs, ds) = at (\k -> iota (k - 1))
  in (concat as bs, concat cs ds)
