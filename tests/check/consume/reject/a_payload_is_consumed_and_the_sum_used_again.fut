-- error: use-after-consume

type shape = #circle ([2]f32) | #none

def flatten_it (s: *shape) : *[2]f32 =
  match s
  case #circle c -> c with [1] = 0
  case #none -> [0, 0]

def main (s: *shape) =
  let a = flatten_it s
  in (a, match s case #circle c -> c[0] case #none -> 0)
