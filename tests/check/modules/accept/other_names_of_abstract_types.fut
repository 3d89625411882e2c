module type element = {
  type t
  type u = t
  type list 'a
  type ints = list i32
}

module type both = {
  module a : element
  module b : element with t = a.t
  type c = b.t
}

module right : both = {
  module a = { type t = i32 type u = i32 type list 'a = [2]a type ints = [2]i32 }
  module b = { type t = i32 type u = i32 type list 'a = a type ints = i32 }
  type c = i32
}

module counter : element with t = i32 = {
  type t = i32
  type u = t
  type list 'a = (a, a)
  type ints = list i32
}

def x : counter.u = 1

module type integers = element with u = i32

module integer : integers = {
  type t = i32
  type u = i32
  type list 'a = a
  type ints = i32
}

def y : integer.t = 2

module type twice = {
  type t
  include element with t = t
}

module again : twice = integer
