-- | Products of vectors and matrices by a BLAS.
--
-- The attribute names the functions in C and CUDA that compute the same as the bodies. Programs are linked with them by
-- `--foreign`; without a BLAS, `--no-foreign` uses the bodies:
--
--     fehu test --foreign blas.c --foreign -lopenblas blas.fut
--     fehu test --backend=cuda --foreign cublas.c --foreign -lcublas blas.fut
--     fehu test --no-foreign blas.fut

#[foreign(c(blas_dot), cuda(cublas_dot))]
def dot [n] (xs: [n]f64) (ys: [n]f64) : f64 =
  f64.sum (map2 (*) xs ys)

#[foreign(c(blas_product), cuda(cublas_product))]
def product [n] [m] [k] (a: [n][m]f64) (b: [m][k]f64) : [n][k]f64 =
  map (\row -> map (\column -> f64.sum (map2 (*) row column)) (transpose b)) a

-- ==
-- entry: norm
-- input { [3.0, 4.0] } output { 5.0 }
-- input { empty([0]f64) } output { 0.0 }

-- | The length of a vector.
entry norm (xs: []f64) : f64 =
  f64.sqrt (dot xs xs)

-- ==
-- entry: powers
-- input { 2i64 [[1.0, 1.0], [1.0, 0.0]] } output { [[2.0, 1.0], [1.0, 1.0]] }
-- input { 5i64 [[1.0, 1.0], [1.0, 0.0]] } output { [[8.0, 5.0], [5.0, 3.0]] }

-- | A matrix multiplied with itself so many times.
entry powers [n] (times: i64) (a: [n][n]f64) : [n][n]f64 =
  loop b = a for _i < times - 1 do product b a

-- ==
-- entry: multiply
-- random input { [100][200]f64 [200][50]f64 } auto output

-- | The product of two matrices.
entry multiply [n] [m] [k] (a: [n][m]f64) (b: [m][k]f64) : [n][k]f64 =
  product a b
