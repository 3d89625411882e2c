-- A sum is the number of its constructor and room for what any of them carries; a match compares the number.
type shape = #circle f32 | #none | #square f32 i32

def area (s: shape) : f32 =
  match s
  case #circle r -> 3 * r * r
  case #square a 1 -> a
  case #square a n -> a * f32.i32 n
  case #none -> 0

entry main (kind: i32) (a: f32) : f32 =
  area (if kind == 0 then #circle a else if kind == 1 then #square a kind else #none)
