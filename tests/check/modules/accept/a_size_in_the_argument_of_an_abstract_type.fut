module type boxes = {
  type t
  type box 'a
  val box : t -> box t
  val unbox : box t -> t
}

module mk (P: {type~ t}) : boxes with t = P.t = {
  type~ t = P.t
  type box 'a = (i32, a)
  def box (x: t) = (0i32, x)
  def unbox (x: (i32, t)) = x.1
}

module arrays = mk {type~ t = []bool}

def two (n: i64) = [arrays.box (replicate n true), arrays.box (replicate n false)]

def first (n: i64) = arrays.unbox (two n)[0]
