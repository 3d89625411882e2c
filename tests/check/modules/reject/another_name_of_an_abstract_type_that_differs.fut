-- error: module-mismatch
module type counter = {
  type t
  type key = t
}

module wrong : counter = {
  type t = i32
  type key = i64
}
