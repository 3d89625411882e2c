-- error: unique-constant
module m = {
  def table : (i32, *[10]i64) = (1, iota 10)
}
