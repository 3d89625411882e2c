-- error: unmatched-cases
module m = {
  def f (x: bool) : i32 = match x case false -> 1
}

def g = m.f
