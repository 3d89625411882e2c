-- What a derivative yields may be consumed where the function returns something new, whatever that is made of.

-- A copy of an array from outside.
-- ==
-- entry: forward reverse
-- input { [1f64, 2f64] 4f64 }
-- output { [100f64, 2f64] [1f64, 2f64] }
entry forward (zs: []f64) (x: f64) =
  let ((_, b), _) = jvp2 (\x -> (x * x, copy zs)) x 1
  let b[0] = 100
  in (b, zs)

entry reverse (zs: []f64) (x: f64) =
  let ((_, b), _) = vjp2 (\x -> (x * x, copy zs)) x (1, copy zs)
  let b[0] = 100
  in (b, zs)

-- The tangent of such an array; and that of one that is made.
-- ==
-- entry: tangent replicated
-- input { [1f64, 2f64] 4f64 }
-- output { [100f64, 0f64] }
entry tangent (zs: []f64) (x: f64) =
  let b = (jvp (\x -> (x * x, copy zs)) x 1).1
  let b[0] = 100
  in b

entry replicated [n] (_: [n]f64) (x: f64) =
  let b = jvp (\x -> replicate n (f64.floor x)) x 1
  let b[0] = 100
  in b

-- The same array is two results.
-- ==
-- entry: twice
-- input { 3i64 4f64 }
-- output { [0i64, 5i64, 2i64] }
entry twice (n: i64) (x: f64) =
  let ((a, _, _), _) = jvp2 (\x -> let is = iota n in (is, is, x)) x (1)
  let a[1] = 5
  in a

-- What a derivative inside of the function yields is consumed there, and returned.
-- ==
-- entry: nested
-- input { [1f64, 2f64] 3f64 }
-- output { [6f64, 9f64] [5f64, 0f64] [2f64, 2f64] }
entry nested (zs: []f64) (x: f64) =
  let f x = let ((_, c), _) = vjp2 (\x -> (x * x, copy zs)) x (1, copy zs)
            let c[0] = c[0] + 5 * x / 3
            in c
  let a = (jvp2 f x 3).0
  let a[1] = 9
  let b = (jvp2 f x 3).1
  let c = vjp (\zs -> let c = (vjp2 (\x -> (x, copy zs)) x (1, copy zs)).0.1
                      let c[0] = 2 * c[0]
                      in c) (copy zs) [1, 2]
  in (a, b, c)

-- A function has an adjoint of its own.
-- ==
-- entry: custom
-- input { [1f64, 2f64] 3f64 }
-- output { [5f64, 2f64] [6f64, 2f64] 3f64 }
entry custom (zs: []f64) (x: f64) =
  let a = with_vjp (\_ -> copy zs) (\_ g -> f64.sum g) x
  let a[0] = 5
  let (b, g) = vjp2 (\x -> let b = with_vjp (\_ -> copy zs) (\_ g -> f64.sum g) x
                           let b[0] = 6
                           in b) x [1, 3]
  in (a, b, g)

-- There are several directions.
-- ==
-- entry: directions
-- input { [1f64, 2f64] 3f64 }
-- output { [4f64, 2f64] [7f64, 2f64] }
entry directions (zs: []f64) (x: f64) =
  let ((_, a), _) = jmp2 (\x -> (x * x, copy zs)) x [1, 2]
  let a[0] = 4
  let ((_, b), _) = mjp2 (\x -> (x * x, copy zs)) x [(1f64, copy zs), (2, copy zs)]
  let b[0] = 7
  in (a, b)
