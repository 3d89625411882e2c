-- error: module-mismatch
module type element = {
  type t
}

module type both = {
  module a : element
  module b : element with t = a.t
}

module wrong : both = {
  module a = { type t = i32 }
  module b = { type t = bool }
}
