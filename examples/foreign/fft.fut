-- | Discrete Fourier transforms by a library.
--
-- The body is the definition, which takes time quadratic in the size. `vectorised` names a function that transforms all rows of a
-- matrix at once; it is called where the function is mapped. An array of pairs would be two arrays; the library wants the
-- real and the imaginary part of each number beside each other, so they are rows of two elements.
--
--     fehu test --foreign fft.c fft.fut
--     fehu test --backend=cuda --foreign cufft.c --foreign -lcufft fft.fut

#[foreign(c(fft_one), cuda(cufft_one), vectorised(c(fft_many), cuda(cufft_many)))]
def fft [n] (xs: [n][2]f32) : [n][2]f32 =
  let turn = -2 * f32.pi / f32.i64 n
  let term (k: i64) (j: i64) =
    let a = turn * f32.i64 (j * k % n)
    let (c, s) = (f32.cos a, f32.sin a)
    in (xs[j, 0] * c - xs[j, 1] * s, xs[j, 0] * s + xs[j, 1] * c)
  let coefficient (k: i64) =
    let (re, im) = unzip (map (term k) (iota n))
    in [f32.sum re, f32.sum im]
  in map coefficient (iota n)

-- ==
-- entry: transform
-- input { [[1f32, 0f32], [0f32, 0f32], [0f32, 0f32], [0f32, 0f32]] }
-- output { [[1f32, 0f32], [1f32, 0f32], [1f32, 0f32], [1f32, 0f32]] }
-- input { [[1f32, 0f32], [2f32, 0f32], [3f32, 0f32], [4f32, 0f32]] }
-- output { [[10f32, 0f32], [-2f32, 2f32], [-2f32, 0f32], [-2f32, -2f32]] }

-- | The transform of one signal of complex numbers.
entry transform [n] (xs: [n][2]f32) : [n][2]f32 =
  fft xs

-- ==
-- entry: spectra
-- input { [[1f32, 0f32], [1f32, -1f32]] } output { [[1f32, 1f32], [0f32, 4f32]] }

-- | The power of all frequencies of several signals.
entry spectra [m] [n] (signals: [m][n]f32) : [m][n]f32 =
  let power (x: [2]f32) = x[0] * x[0] + x[1] * x[1]
  in map (\signal -> map power (fft (map (\x -> [x, 0]) signal))) signals
