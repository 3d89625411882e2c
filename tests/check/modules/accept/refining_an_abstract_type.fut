module type ordered = { type t val le : t -> t -> bool }
module m : ordered with t = i32 = { type t = i32 def le = (i32.<=) }
def f : bool = m.le 1 2
