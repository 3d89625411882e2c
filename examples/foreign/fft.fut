-- | Discrete Fourier transforms by a library.
--
-- The body is the definition, which takes time quadratic in the size. `vectorised` names a function that transforms all rows of a
-- matrix at once; it is called where the function is mapped.
--
--     fehu test --foreign fft.c fft.fut
--     fehu test --backend=cuda --foreign cufft.c --foreign -lcufft fft.fut

type complex = (f32, f32)

#[foreign(c(fft_one), cuda(cufft_one), vectorised(c(fft_many), cuda(cufft_many)))]
def fft [n] (re: [n]f32) (im: [n]f32) : ([n]f32, [n]f32) =
  let turn = -2 * f32.pi / f32.i64 n
  let coefficient (k: i64) : complex =
    let angles = map (\j -> turn * f32.i64 (j * k % n)) (iota n)
    let re' = map3 (\x y a -> x * f32.cos a - y * f32.sin a) re im angles
    let im' = map3 (\x y a -> x * f32.sin a + y * f32.cos a) re im angles
    in (f32.sum re', f32.sum im')
  in unzip (map coefficient (iota n))

-- ==
-- entry: transform
-- input { [1f32, 0f32, 0f32, 0f32] [0f32, 0f32, 0f32, 0f32] }
-- output { [1f32, 1f32, 1f32, 1f32] [0f32, 0f32, 0f32, 0f32] }
-- input { [1f32, 2f32, 3f32, 4f32] [0f32, 0f32, 0f32, 0f32] }
-- output { [10f32, -2f32, -2f32, -2f32] [0f32, 2f32, 0f32, -2f32] }

-- | The transform of one signal, given as its real and imaginary parts.
entry transform [n] (re: [n]f32) (im: [n]f32) =
  fft re im

-- ==
-- entry: spectra
-- input { [[1f32, 0f32], [1f32, -1f32]] } output { [[1f32, 1f32], [0f32, 4f32]] }

-- | The power of all frequencies of several signals.
entry spectra [m] [n] (signals: [m][n]f32) : [m][n]f32 =
  map (\signal ->
         let (re, im) = fft signal (replicate n 0)
         in map2 (\x y -> x * x + y * y) re im)
      signals
