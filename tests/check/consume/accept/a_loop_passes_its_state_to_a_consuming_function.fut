type state = {mask: [4]f32, cache: [4]f32}

def step (s: *state) : (i64, *state) = (2, s with cache[0] = 7)

def main (s: *state) : (i64, *state) =
  loop (_n, s) = (0, s) for _i < 5i32 do step s
