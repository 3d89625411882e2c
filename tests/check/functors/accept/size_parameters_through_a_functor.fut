module type vec = { type t [n] val map [n] : (f32 -> f32) -> t [n] -> t [n] }
module twice (v: vec) = { def f [n] (x: v.t [n]) : v.t [n] = v.map (* 2) x }
module t = twice { type t [n] = [n]f32 def map [n] (f: f32 -> f32) (xs: [n]f32) : [n]f32 = map f xs }
def g : [2]f32 = t.f [1, 2]
