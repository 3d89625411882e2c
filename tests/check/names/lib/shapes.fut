type shape = #circle f32 | #rectangle f32 f32
def area (s: shape) : f32 =
  match s
  case #circle r -> f32.pi * r * r
  case #rectangle a b -> a * b
local def secret = 1i32
def known = secret
