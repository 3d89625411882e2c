-- error: module-mismatch
module boxes : {
  type^ t '^a
  val mk '^a : a -> t a
} = {
  type^ t 'a = {content: a}
  def mk '^a (x: a) = {content = x}
}
