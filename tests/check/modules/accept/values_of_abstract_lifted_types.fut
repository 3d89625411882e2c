-- Branches, loops and signatures do not need to know how large a value is, or whether it is a function in truth.

module type box = {
  type~ t
  val make : i64 -> t
  val size : t -> i64
}

module type step = {
  type^ t
  val make : i64 -> t
  val apply : t -> i64 -> i64
}

module arrays : box = {
  type~ t = []i32
  def make (n: i64) : t = replicate n 0
  def size (xs: t) : i64 = length xs
}

module numbers : step = {
  type^ t = i64
  def make (n: i64) : t = n
  def apply (a: t) (b: i64) : i64 = a + b
}

def branch (b: bool) = if b then arrays.make 1 else arrays.make 2

def cases (n: i64) : arrays.t = match n case 0 -> arrays.make 1 case _ -> arrays.make n

def grow (n: i64) = loop x = arrays.make n for i < 5 do arrays.make (arrays.size x + i)

def sizes (n: i64) = map (\i -> arrays.size (branch (i > 2))) (iota n)

def either (b: bool) = if b then numbers.make 1 else numbers.make 2

def steps (n: i64) = loop s = numbers.make n for i < 5 do numbers.make (numbers.apply s i)

module pairs (m: box) = {
  type~ u = (m.t, i64)

  def fill (n: i64) : u = loop (x, i) = (m.make n, 0) while i < 10 do (m.make i, i + m.size x)

  def same '~a (x: a) (b: bool) (y: a) : a = if b then x else y

  def choose (b: bool) (r: {a: m.t, n: i64}) = same r.a b (r with a = m.make r.n).a
}

module array_pairs = pairs arrays
