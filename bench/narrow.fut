-- Products of matrices with few rows or columns, which only the run knows: `bench/compare.py OLD NEW bench --backend cuda narrow.fut ad/gmm.fut`.
-- ==
-- entry: product
-- random input { [100000][64]f32 [64][24]f32 }
-- random input { [100000][64]f32 [64][32]f32 }
-- random input { [100000][64]f32 [64][40]f32 }
-- random input { [100000][64]f32 [64][48]f32 }
-- random input { [32][1024]f32 [1024][16384]f32 }
-- random input { [40][1024]f32 [1024][16384]f32 }
-- random input { [32][4096]f32 [4096][512]f32 }
-- random input { [32][200000]f32 [200000][32]f32 }
-- random input { [1000][32]f32 [32][1000]f32 }
-- random input { [1024][1024]f32 [1024][1024]f32 }

def dot [n] (xs: [n]f32) (ys: [n]f32) = f32.sum (map2 (*) xs ys)

entry product [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32) = map (\r -> map (dot r) (transpose b)) a

-- ==
-- entry: norms
-- random input { [1000][24]f32 [200][24][24]f32 }
-- random input { [1000][32]f32 [200][32][32]f32 }
-- random input { [1000][40]f32 [200][40][40]f32 }
-- random input { [1000][48]f32 [200][48][48]f32 }

-- For each point and each matrix, the norm of the product: what a mixture of Gaussians does.
entry norms [n] [k] [d] (xs: [n][d]f32) (as: [k][d][d]f32) =
  map (\x -> map (\a -> f32.sum (map (\row -> let y = dot row x in y * y) a)) as) xs

-- ==
-- entry: nearest
-- random input { [100000][16]f32 [32][16]f32 }
-- random input { [100000][64]f32 [32][64]f32 }

-- The nearest of a few centres.
entry nearest [n] [k] [d] (xs: [n][d]f32) (centres: [k][d]f32) =
  map (\x -> f32.minimum (map (\c -> f32.sum (map2 (\a b -> (a - b) * (a - b)) x c)) centres)) xs
