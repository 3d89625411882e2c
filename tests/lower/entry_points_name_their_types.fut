-- Outside, types have names: an opaque one is what it consists of, with a name.
type^ image [h] [w] = {pixels: [h][w]u8, gamma: f32}
type level = #low | #high u8

entry load [h] [w] (pixels: [h][w]u8) : image [h] [w] = {pixels, gamma = 1}

entry top [h] [w] (im: image [h] [w]) : level =
  if im.gamma > 1 then #high im.pixels[0, 0] else #low
