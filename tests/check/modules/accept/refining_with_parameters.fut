module type container = { type t 'a val single 'a : a -> t a }
module m : container with t 'a = [1]a = { type t 'a = [1]a def single 'a (x: a) : t a = [x] }
def f : [1]i32 = m.single 1
