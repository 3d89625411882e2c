-- Functions made of globals, and abstract values, are their callers' own.
--
-- ==
-- entry: functions
-- input { 9 }
-- output { [9, 2, 4] [0, 9, 4] [0, 2, 9] [9, 2, 4] [9, 2, 4] [1, 3, 5] [0, 2, 4] [[1, 2, 3], [0, 2, 4]] }

def evens = map (\x -> i32.i64 x * 2) (iota 3)
def table = [[1, 2, 3], evens]
def first (x: [3]i32) (_: i32) : [3]i32 = x
def row [n] (t: [n][3]i32) (i: i64) = t[i]
def constant x = \(_: i32) -> x
def flip '^a '^b '^c (f: a -> b -> c) (x: b) (y: a) = f y x

def even = first evens
def nth = row table
def always = constant evens
def mapped : (i32 -> i32) -> [3]i32 = flip map evens

entry functions (v: i32) =
  let x = even v with [0] = v
  let again = even
  let y = again v with [1] = v
  let z = again v with [2] = v
  let w = nth 1 with [0] = v
  let u = always v with [0] = v
  in (x, y, z, w, u, mapped (+ 1), copy evens, copy table)

module cells : {
  type t
  val start : t
  val set : *t -> i32 -> *t
  val get : t -> i32
} = {
  type t = [3]i32
  def start = evens
  def set (x: *t) (v: i32) : *t = x with [0] = v
  def get (x: t) = x[0]
}

module run (c: { type t val start : t val set : *t -> i32 -> *t val get : t -> i32 }) = {
  def set (v: i32) = c.get (c.set c.start v)
}

module r = run cells

def start (_: i32) = cells.start

-- ==
-- entry: abstract
-- input { 9 }
-- output { 9 18 0 }

entry abstract (v: i32) =
  let x = cells.set (start v) v
  in (cells.get x, r.set (2 * v), cells.get cells.start)
