-- Modules of the prelude seen through the types of others: only what the program uses of them is there.

module type over = {
  module number: real
  val two: number.t
}

module make (r: real) : (over with number.t = r.t) = {
  module number = r
  def two = r.i64 2
}

module single = make f32

module counted : (numeric with t = i32) = i32

entry main (x: f32) (ys: []i32) =
  (single.number.sqrt x + single.two, counted.sum ys)
