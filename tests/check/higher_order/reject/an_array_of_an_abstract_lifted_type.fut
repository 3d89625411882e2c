-- error: functional-type
module m
  : {
      type^ t
      val init : i32 -> t
    } = {
  type^ t = i32

  def init (x: i32) = x
}

def f = [m.init 1, m.init 2]
