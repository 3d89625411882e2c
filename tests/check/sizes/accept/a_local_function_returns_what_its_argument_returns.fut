type size = {width: i64, height: i64}

def image (width: i64) (height: i64) (x: f32) : *[height][width]u32 =
  tabulate_2d height width (\_ _ -> u32.f32 x)

def main (s: size) : [][]u32 =
  let render f = f s.width s.height 1f32
  in render image
