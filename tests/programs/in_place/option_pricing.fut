-- The value of an option on paths that Brownian bridges make of random numbers: each path is refined in place.

def steps : i64 = 8

-- | A path from its numbers: the end first, then the middle, then the middles of the halves, and so on.
def bridge (numbers: [steps]f32) : [steps]f32 =
  let path = replicate steps 0 with [steps - 1] = numbers[0] * f32.sqrt (f32.i64 steps)
  let (path, _, _) =
    loop (path, width, next) = (path, steps / 2, 1) while width >= 1 do
      let count = steps / (2 * width)
      let path = loop path for k < count do
        let (before, after) = (2 * k * width - 1, (2 * k + 2) * width - 1)
        let mean = ((if before < 0 then 0 else path[before]) + path[after]) / 2
        in path with [after - width] = mean + numbers[next + k] * f32.sqrt (f32.i64 width / 2)
      in (path, width / 2, next + count)
  in path

-- ==
-- input { 100f32 0.1f32 [[0.5f32, -1f32, 0.3f32, 0.7f32, -0.2f32, 0.1f32, 0f32, 1f32], [1f32, 0f32, 0f32, 0f32, 0f32, 0f32, 0f32, 0f32]] }
-- output { [[98.3320847f32, 99.4659042f32, 96.9512482f32, 93.1731415f32, 101.747322f32, 111.110535f32, 121.421646f32, 115.190994f32], [103.59877f32, 107.327065f32, 111.189529f32, 115.190994f32, 119.336464f32, 123.631111f32, 128.080322f32, 132.689636f32]] 11.1522942f32 }
entry main [n] (start: f32) (volatility: f32) (numbers: [n][steps]f32) : ([n][steps]f32, f32) =
  let prices = map (\row -> map (\x -> start * f32.exp (volatility * x)) (bridge row)) numbers
  let payoff path = f32.max 0 (f32.sum path / f32.i64 steps - start)
  in (prices, f32.sum (map payoff prices) / f32.i64 n)
