module type system = {
  type state
  val start : state
  val step : *state -> *state
  val value : state -> i32
}

module run (s: system) = {
  def again (n: i64) = loop x = copy s.start for _i < n do s.step x
  def twice = s.step (s.step s.start)

  def each (n: i64) =
    loop sum = 0
    for _i < n do
      let x = copy s.start
      in sum + s.value (s.step x)
}

module type sized = {
  type~ state
  val start : i64 -> state
  val step : *state -> *state
}

module grow (s: sized) = {
  def again (n: i64) = loop x = copy (s.start n) for _i < n do s.step x
}
