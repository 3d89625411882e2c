-- All kinds of types that the C interface has, inside of each other: for `interface.rs`.

type inner = {a: i16, b: [2]f64}
type~ outer = {name: []u8, items: []inner, grid: [][](i32, f16)}
type~ tree = #leaf i32 | #node [](i32, bool) []inner | #both outer
type pair 't = (t, t)
module m : { type t val mk : i64 -> t val get : t -> i64 } = {
  type t = {x: i64, ys: [3]i64}
  def mk n = {x = n, ys = replicate 3 n}
  def get (v: t) = v.x + i64.sum v.ys
}
entry mk (n: i64) : m.t = m.mk n
entry get (v: m.t) : i64 = m.get v
entry many (n: i64) : []m.t = tabulate n m.mk
entry sum (vs: []m.t) : i64 = i64.sum (map m.get vs)
entry items (o: outer) : []inner = o.items
entry bump (o: outer) : outer = o with items = map (\i -> i with a = i.a + 1) o.items
entry grid (o: outer) : [][](i32, f16) = o.grid
entry make (n: i64) : outer =
  { name = map u8.i64 (iota n)
  , items = tabulate n (\i -> {a = i16.i64 i, b = [1, 2]})
  , grid = tabulate_2d n 2 (\i j -> (i32.i64 i, f16.i64 j))
  }
entry size (t: tree) : i64 =
  match t
  case #leaf x -> i64.i32 x
  case #node xs ys -> length xs + length ys
  case #both o -> length o.items
entry pick (xs: []inner) (i: i64) : inner = xs[i]
type s = #p i32 | #q f32 [2]i8
entry ss (n: i64) : []s = tabulate n (\i -> if i % 2 == 0 then #p (i32.i64 i) else #q 1 [1, 2])
entry s1 (xs: []s) : i64 = length (filter (\x -> match x case #p _ -> true case #q _ _ -> false) xs)
entry s2 (xs: [][]s) : []s = xs[0]
entry cube (n: i64) : [][][]i8 = tabulate_3d n 2 3 (\i j k -> i8.i64 (i + j + k))
entry upd (xs: *[]inner) (i: i64) : *[]inner = xs with [i] = {a = 1, b = [0, 0]}
entry nested (n: i64) : pair (pair i32) = ((1, 2), (3, i32.i64 n))
entry even (xs: []u8) (n: i64) : bool = length xs == n
