type shape = #circle ([2]f32) | #none

def main (s: *shape) : *[2]f32 =
  match s
  case #circle c -> c with [1] = 0
  case #none -> [0, 0]
