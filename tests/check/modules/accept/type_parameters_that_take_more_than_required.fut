module boxes : {
  type^ t 'a
  type u '~a
  type^ v '^a
} = {
  type^ t '^a = {content: a}
  type u 'a = i32
  type^ v '~a = (a, a)
}

module type container = {
  type^ t 'a
  val mk 'a : a -> t a
}

module type functions = container with t '^a = i32 -> a

module constant : functions = {
  type^ t '^a = i32 -> a
  def mk 'a (x: a) = \(_: i32) -> x
}

def one = constant.mk 1i64 2
