-- The logarithm of a sum of exponentials, with the maximum subtracted.
-- ==
-- entry: primal gradient
-- random input { [10000000]f32 }
-- large random input { [100000000]f32 }

def logsumexp [n] (xs: [n]f32) : f32 =
  let largest = f32.maximum xs
  in largest + f32.log (f32.sum (map (\x -> f32.exp (x - largest)) xs))

entry primal [n] (xs: [n]f32) = logsumexp xs

entry gradient [n] (xs: [n]f32) = vjp logsumexp xs 1
