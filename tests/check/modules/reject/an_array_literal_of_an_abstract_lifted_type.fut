-- error: functional-type

module step : {
  type^ t
  val make : i32 -> t
} = {
  type^ t = i32 -> i32
  def make (x: i32) : t = \y -> x + y
}

def steps (x: i32) = length [step.make x]
