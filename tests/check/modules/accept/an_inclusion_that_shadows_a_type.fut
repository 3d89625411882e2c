-- warning: shadowed-type
module type readable = {
  type t
  val read : i32 -> t
}

module type writable = {
  type t
  val write : t -> i32
}

module type either = {
  include readable
  include writable
}

module type both = {
  include readable
  include writable with t = t
}
