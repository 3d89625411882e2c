module m : { val f : i32 -> i32 val g [n] : [n]i32 -> i64 } = {
  def f 'a (x: a) = x
  def g [n] 'a (_: [n]a) = n
}
def z = m.f 1
