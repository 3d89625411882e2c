module m
  : {
      type^ t
      val init : i32 -> t
      val next : t -> t
    } = {
  type^ t = i32

  def init (x: i32) = x

  def next (x: i32) = x + 1
}

def chosen (b: bool) = if b then m.init 1 else m.init 2

def matched (x: i32) =
  match x
  case 0 -> m.init 1
  case _ -> m.init 2

def repeated (n: i32) = loop t = m.init 0 for _i < n do m.next t

def same '~a (x: a) = x

def passed (x: m.t) = same x

entry out (x: m.t) = m.next x
