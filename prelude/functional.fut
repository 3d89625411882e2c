-- | Functions about functions.

-- | Pass a value on to a function: `x |> f` is `f x`. Reads well in pipelines,
-- as it associates to the left.
--
-- >>> iota 5 |> map (+ 1) |> i64.sum
-- 15
def (|>) '^a '^b (x: a) (f: a -> b) : b = f x

-- | Apply a function to all that follows: `f <| x` is `f x`. Associates to the
-- right.
def (<|) '^a '^b (f: a -> b) (x: a) : b = f x

-- | Composition from left to right: `(f >-> g) x` is `g (f x)`.
--
-- The size of the intermediate result cannot depend on the argument, because
-- both functions are fixed before the argument is known.
def (>->) '^a '^b '^c (f: a -> b) (g: b -> c) (x: a) : c = g (f x)

-- | Composition from right to left: `(g <-< f) x` is `g (f x)`.
def (<-<) '^a '^b '^c (g: b -> c) (f: a -> b) (x: a) : c = g (f x)

-- | Swap the first two arguments of a function.
--
-- >>> flip (-) 1 10
-- 9
def flip '^a '^b '^c (f: a -> b -> c) (b: b) (a: a) : c = f a b

-- | Make a function of a pair take the two components one after the other.
def curry '^a '^b '^c (f: (a, b) -> c) (a: a) (b: b) : c = f (a, b)

-- | Make a function of two arguments take them as a pair.
--
-- >>> uncurry (+) (1, 2)
-- 3
def uncurry '^a '^b '^c (f: a -> b -> c) (a: a, b: b) : c = f a b

-- | A function that ignores its (second) argument.
def const '^a '^b (x: a) (_: b) : a = x

-- | The identity function.
def id '^a (x: a) : a = x

-- | Apply a function `n` times over; not at all if `n` is zero or less.
-- Sequential.
--
-- >>> iterate 10 (* 2) 1
-- 1024
def iterate 'a (n: i32) (f: a -> a) (x: a) : a =
  loop y = x for _i < n do f y

-- | Apply a function until its result satisfies the predicate; not at all if
-- `x` does already. Sequential.
def iterate_until 'a (p: a -> bool) (f: a -> a) (x: a) : a =
  loop y = x while !(p y) do f y

-- | Apply a function as long as the predicate holds; not at all if it does not
-- hold for `x`. Sequential.
--
-- >>> iterate_while (< 100) (* 3) 1
-- 243
def iterate_while 'a (p: a -> bool) (f: a -> a) (x: a) : a =
  loop y = x while p y do f y
