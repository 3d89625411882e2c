-- A size in the type of a value may be another value of the same module. It stays so when a module with several
-- parameters is applied to one of them, and when its result is an argument again.

module type repeater = {
  type elem
  val count : i64
  val all : elem -> [count]elem
}

module once : repeater with elem = i32 = {
  type elem = i32
  def count = 1i64
  def all (x: i32) = replicate count x
}

module both (X: repeater) (Y: repeater with elem = X.elem) : repeater with elem = X.elem = {
  type elem = X.elem
  def count = X.count + Y.count
  def all (x: elem) = X.all x ++ Y.all x :> [count]elem
}

module twice = both once once
module thrice = both twice once
module sextuple = both thrice thrice

def six (x: i32) : [6]i32 =
  sextuple.all x :> [6]i32

entry main (x: i32) = (thrice.all x, six x)
