-- The mean of numbers, and how far each of them is from it: two passes over a sequence. `deviations.c` calls this program as a library, with
-- functions for both sequences.
entry main (xs: seq f64) : (f64, seq f64) =
  let mean = seq.reduce (+) 0 xs / f64.i64 (seq.length xs)
  in (mean, seq.map (\x -> x - mean) xs)

-- The lengths of lines that are longer than `n`.
entry longer (n: i64) (lines: seq ([]u8)) : seq i64 = seq.filter (> n) (seq.map length lines)
