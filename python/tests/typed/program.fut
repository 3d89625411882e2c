type stats = {mean: f64, count: i64}

-- | The mean, and how many there are.
entry stats [n] (xs: [n]f64) : stats = {mean = f64.sum xs / f64.i64 n, count = n}

entry scaled [n][m] (xs: [n][m]f32) (k: f32) : ([n][m]f32, bool) = (map (map (* k)) xs, k > 0)
