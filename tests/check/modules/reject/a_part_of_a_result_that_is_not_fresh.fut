-- error: module-mismatch
module type finder = {
  val find [n] [m] : *[n]i64 -> [m]i64 -> *([n]i64, [m]i64)
}

module finder : finder = {
  def find [n] [m] (t: *[n]i64) (xs: [m]i64) : (*[n]i64, [m]i64) = (t, xs)
}
