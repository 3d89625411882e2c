-- Histograms of several threads, with fewer bins than elements, as many, and so many that not all threads have copies.
-- ==
-- entry: sums
-- input { 3i64 100000i64 } output { 33334i64 33333i64 }
-- input { 100000i64 100000i64 } output { 1i64 1i64 }
-- input { 150000i64 100000i64 } output { 1i64 0i64 }
-- input { 1000000i64 100000i64 } output { 1i64 0i64 }
-- input { 1000000i64 0i64 } output { 0i64 0i64 }
entry sums (bins: i64) (n: i64): (i64, i64) =
  let counts = hist (+) 0 bins (map (% bins) (iota n)) (replicate n 1)
  in (counts[0], counts[bins - 1])
