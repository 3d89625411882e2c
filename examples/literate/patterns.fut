-- | Two chemicals on a grid that react and spread (the model of Gray and Scott).
def step [h][w] (feed: f32) (kill: f32) (grid: [h][w](f32, f32)) : [h][w](f32, f32) =
  let at y x = grid[(y + h) % h, (x + w) % w]
  let sum (a, b) (c, d) = (a + c, b + d) : (f32, f32)
  in tabulate_2d h w (\y x ->
       let (u, v) = grid[y, x]
       let (nu, nv) = at (y - 1) x `sum` at (y + 1) x `sum` at y (x - 1) `sum` at y (x + 1)
       let reaction = u * v * v
       in ( u + 0.2 * (nu - 4 * u) - reaction + feed * (1 - u)
          , v + 0.1 * (nv - 4 * v) + reaction - (feed + kill) * v
          ))

-- | Some drops of the second chemical in a sea of the first.
def start (h: i64) (w: i64) : [h][w](f32, f32) =
  let drop y x = (y / 12 * 71 + x / 12 * 37) ** 2 % 29 < 3
  in tabulate_2d h w (\y x -> if drop y x then (0.5, 0.25) else (1, 0))

-- | From blue, where there is none of it, to white.
def colour (_, v) : u32 =
  let mix a b = u32.f32 (a + (b - a) * f32.min 1 (v * 3))
  in mix 16 255 << 16 | mix 42 250 << 8 | mix 92 235

-- | What it looks like after some time.
entry picture (h: i64) (w: i64) (steps: i64) : [h][w]u32 =
  map (map colour) (loop grid = start h w for _i < steps do step 0.037 0.06 grid)

-- > :img picture 200 600 8000;
-- file: patterns.png
