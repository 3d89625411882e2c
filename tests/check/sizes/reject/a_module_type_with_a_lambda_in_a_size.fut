-- error: size-expression-bind
module type padding = {
  val pad : (n: i64) -> [(\x -> x + 1) n]i32
}
