-- | Derivatives of functions.
--
-- Forward mode (`jvp`) costs a constant factor over the function itself for
-- each direction of the input, reverse mode (`vjp`) for each direction of the
-- output: take the first for functions of few numbers, the second for functions
-- that return few. The two modes may be nested. Integers are differentiated by
-- the same rules as other numbers, modulo powers of two; of truth values, the sum
-- is `||` and the product is `&&`. The derivative of a sum type has the constructor
-- of the value.

-- | Forward mode: the value of `f` at `x`, and its derivative in direction `x'`.
def jvp2 'a 'b (f: a -> b) (x: a) (x': a) : (b, b) = intrinsics.jvp2 f x x'

-- | Reverse mode: the value of `f` at `x`, and the adjoint of `x` for the adjoint
-- `y'` of the result. With a single number as result and `y'` one, the adjoint
-- is the gradient.
def vjp2 'a 'b (f: a -> b) (x: a) (y': b) : (b, a) = intrinsics.vjp2 f x y'

-- | As `jvp2`, for several directions at once, computing the value only once.
def jmp2 'a 'b [n] (f: a -> b) (x: a) (x': [n]a) : (b, [n]b) = intrinsics.jmp2 f x x'

-- | As `vjp2`, for several adjoints at once, computing the value only once.
def mjp2 'a 'b [n] (f: a -> b) (x: a) (y': [n]b) : (b, [n]a) = intrinsics.mjp2 f x y'

-- | The derivative of `f` at `x` in direction `x'`.
def jvp 'a 'b (f: a -> b) (x: a) (x': a) : b = (jvp2 f x x').1

-- | The adjoint of `x` for the adjoint `y'` of the result of `f`.
def vjp 'a 'b (f: a -> b) (x: a) (y': b) : a = (vjp2 f x y').1

-- | The derivatives of `f` at `x` in several directions.
def jmp 'a 'b [n] (f: a -> b) (x: a) (x': [n]a) : [n]b = (jmp2 f x x').1

-- | The adjoints of `x` for several adjoints of the result of `f`.
def mjp 'a 'b [n] (f: a -> b) (x: a) (y': [n]b) : [n]a = (mjp2 f x y').1

-- | Apply `f` to `x`, but in reverse mode use `f'` in place of the derivative of
-- `f`: it gets the result and the adjoint of the result, and returns the adjoint
-- of `x`. Nothing checks that it is right. Variables that `f` captures get no
-- adjoint.
def with_vjp 'a 'b (f: a -> b) (f': (res: b) -> (b_adj: b) -> a) (x: a) : b =
  intrinsics.with_vjp f f' x

-- | As `with_vjp`, where `f` leaves something for `f'` beside its result: `f`
-- returns a tape and the result, `f'` gets the tape and the adjoint of the
-- result.
def with_vjp_tape 'a 'b 'c (f: a -> (c, b)) (f': (c, b) -> a) (x: a) : b =
  (intrinsics.with_vjp f (\(tape, _) (_, b_adj) -> f' (tape, b_adj)) x).1
