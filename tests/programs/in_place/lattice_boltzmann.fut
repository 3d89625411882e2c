-- A fluid on a ring of cells with three directions: directions are rows, so that the cells of one are neighbours, and a step makes all
-- directions of a cell at once.

-- ==
-- input { 3i32 [[1f32, 2f32, 3f32, 4f32], [1f32, 1f32, 1f32, 1f32], [0f32, 1f32, 0f32, 1f32]] }
-- output { [[1.12037039f32, 1.30092597f32, 1.6574074f32, 1.83796287f32], [1.39814806f32, 1.17592597f32, 1.29629636f32, 1.29629624f32], [1.28703713f32, 1.16203701f32, 1.40740752f32, 1.06018519f32]] }
entry main [n] (steps: i32) (cells: [3][n]f32) : [3][n]f32 =
  loop f = cells for _i < steps do
    let step i =
      let (rest, east, west) = #[unsafe] (f[0, i], f[1, (i + n - 1) % n], f[2, (i + 1) % n])
      let mean = (rest + east + west) / 3
      in [rest + (mean - rest) / 2, east + (mean - east) / 2, west + (mean - west) / 2]
    in transpose (map step (iota n))
