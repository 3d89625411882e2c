-- Quickhull: the corners of the convex hull of points. There are edges with the points outside of each; the farthest of them
-- is a corner, so that two edges take the place of one, until no point is outside. Coordinates are integers, so that all
-- computations are exact.
import "lib/rows"

-- ==
-- entry: nested flat rows
-- nobench input { [0, 4, 4, 0, 2, 1] [0, 0, 4, 4, 1, 3] } output { [0i64, 1i64, 2i64, 3i64] }
-- nobench input { [1, 5, 3, 3] [1, 1, 2, 1] } output { [0i64, 1i64, 2i64] }
-- nobench input { [7] [7] } output { [0i64] }
-- "10^6 in a square" notest script input { square 1000000i64 }
-- "10^6 in a circle" notest script input { circle 1000000i64 }
-- "10^6 on a parabola" notest script input { parabola 1000000i64 }

-- ==
-- entry: agree
-- nobench script input { square 20i64 } output { true }
-- nobench script input { parabola 9i64 } output { true }

entry square (n: i64) : ([n]i32, [n]i32) =
  unzip (map (\i -> (i32.i64 (hash i % 1000003), i32.i64 (hash (i + n) % 1000003))) (iota n))

entry circle (n: i64) : ([n]i32, [n]i32) =
  unzip (map (\i ->
                let angle = f64.i64 (hash i % 1000003) / 1000003 * 2 * f64.pi
                let radius = 1e8 * f64.sqrt (f64.i64 (hash (i + n) % 1000003) / 1000003)
                in (i32.f64 (radius * f64.cos angle), i32.f64 (radius * f64.sin angle)))
             (iota n))

-- Many points are corners.
entry parabola (n: i64) : ([n]i32, [n]i32) =
  unzip (map (\i ->
                let x = (i * 7919) % n - n / 2
                in (i32.i64 x, i32.i64 (x * x / 128)))
             (iota n))

-- An edge, as the numbers of two points, and where the points outside of it are.
type edge = {from: i64, to: i64, begin: i64, end: i64}

def some (edges: []edge) : []edge = filter (\e -> e.begin < e.end) edges

-- How far outside of an edge a point is.
def outside [n] (xs: [n]i32) (ys: [n]i32) (from: i64) (to: i64) (p: i64) : i64 =
  let (ax, ay) = (i64.i32 xs[from], i64.i32 ys[from])
  in (i64.i32 xs[to] - ax) * (i64.i32 ys[p] - ay) - (i64.i32 ys[to] - ay) * (i64.i32 xs[p] - ax)

-- The farther of two points, with their distances.
def farther ((d, i): (i64, i64)) ((e, j): (i64, i64)) : (i64, i64) =
  if d > e || (d == e && i < j) then (d, i) else (e, j)

-- No point.
def none : (i64, i64) = (0, i64.highest)

-- The first two edges: from the first point in order of coordinates to the last one, and back.
def first [n] (xs: [n]i32) (ys: [n]i32) : ([]edge, []i64, *[n]bool) =
  let key i = (xs[i], ys[i], i)
  let less (x, y, i: i64) (u, v, j) = x < u || (x == u && (y < v || (y == v && i < j)))
  let a =
    (reduce (\p q -> if less p q then p else q) (i32.highest, i32.highest, n) (map key (iota n))).2
  let b =
    (reduce (\p q -> if less p q then q else p) (i32.lowest, i32.lowest, -1) (map key (iota n))).2
  let upper = filter (\p -> outside xs ys a b p > 0) (iota n)
  let lower = filter (\p -> outside xs ys b a p > 0) (iota n)
  let edges =
    [ {from = a, to = b, begin = 0, end = length upper}
    , {from = b, to = a, begin = length upper, end = length upper + length lower}
    ]
  in (some edges, upper ++ lower, spread n false [a, b] [true, true])

-- Two edges instead of each, when so many of the points from an offset on are outside of the first and the second of them.
def split (edges: []edge) (far: []i64) (offsets: []i64) (counts: [](i64, i64)) : []edge =
  let two i =
    let (e, (l, r)) = (edges[i], counts[i])
    let middle = offsets[i] + l
    in [ {from = e.from, to = far[i], begin = offsets[i], end = middle}
       , {from = far[i], to = e.to, begin = middle, end = middle + r}
       ]
  in some (flatten (map two (indices edges)))

-- The numbers of all that are true.
def chosen [n] (flags: [n]bool) : []i64 = filter (\i -> flags[i]) (iota n)

entry nested [n] (xs: [n]i32) (ys: [n]i32) : []i64 =
  (loop (edges, points, hull) = first xs ys while !(null edges) do
     let (_, _, offsets, points, found) =
       flatmap (\e ->
                  let mine = points[e.begin:e.end]
                  let far =
                    (reduce farther none (map (\p -> (outside xs ys e.from e.to p, p)) mine)).1
                  let left = filter (\p -> outside xs ys e.from far p > 0) mine
                  let right = filter (\p -> outside xs ys far e.to p > 0) mine
                  in (left ++ right, (far, (length left, length right))))
               edges
     let (far, counts) = unzip found
     in (split edges far offsets counts, points, scatter hull far (map (const true) far))).2
  |> chosen

entry flat [n] (xs: [n]i32) (ys: [n]i32) : []i64 =
  (loop (edges, points, hull) = first xs ys while !(null edges) do
     let mine = offsets (map (\e -> e.end - e.begin) edges)
     let m = last mine
     let owners = owners m mine
     let points = map2 (\i o -> points[edges[o].begin + i - mine[o]]) (iota m) owners
     let distances = map2 (\p o -> (outside xs ys edges[o].from edges[o].to p, p)) points owners
     let far =
       map (.1) (segmented_reduce farther none mine (heads m mine) distances)
       |> sized (length edges)
     let left = map2 (\p o -> i64.bool (outside xs ys edges[o].from far[o] p > 0)) points owners
     let right = map2 (\p o -> i64.bool (outside xs ys far[o] edges[o].to p > 0)) points owners
     let sums = scan (\(a, b) (c, d) -> (a + c, b + d)) (0, 0) (zip left right)
     let before i = if i == 0 then (0, 0) else sums[i - 1]
     let counts =
       map (\k ->
              let ((a, b), (c, d)) = (before mine[k], before mine[k + 1])
              in (c - a, d - b))
           (indices edges)
     let next = offsets (map (\(l, r) -> l + r) counts)
     let places =
       map2 (\i o ->
               let ((a, b), (c, d)) = (before mine[o], before i)
               in if left[i] == 1
                  then next[o] + c - a
                  else if right[i] == 1 then next[o] + counts[o].0 + d - b
                  else -1)
            (iota m)
            owners
     let kept = spread (last next) 0 places points
     in (split edges far next counts, kept, scatter hull far (map (const true) far))).2
  |> chosen

entry rows [n] (xs: [n]i32) (ys: [n]i32) : []i64 =
  (loop (edges, points, hull) = first xs ys while !(null edges) do
     let far =
       map (\e ->
              (loop best = none for i in e.begin..<e.end do
                 farther best (outside xs ys e.from e.to points[i], points[i])).1)
           edges
     let counts =
       map2 (\e f ->
               loop (l, r) = (0, 0) for i in e.begin..<e.end do
                 ( l + i64.bool (outside xs ys e.from f points[i] > 0)
                 , r + i64.bool (outside xs ys f e.to points[i] > 0)
                 ))
            edges
            far
     let next = offsets (map (\(l, r) -> l + r) counts)
     let total = last next
     let write (acc: *intrinsics.acc ([total]i64)) k =
       let (e, f) = (edges[k], far[k])
       in (loop (acc, l, r) = (acc, next[k], next[k] + counts[k].0) for i in e.begin..<e.end do
             let p = points[i]
             in if outside xs ys e.from f p > 0
                then (intrinsics.acc_write acc l p, l + 1, r)
                else if outside xs ys f e.to p > 0
                then (intrinsics.acc_write acc r p, l, r + 1)
                else (acc, l, r)).0
     let kept = intrinsics.scatter_stream (replicate total 0) write (indices edges)
     in (split edges far next counts, kept, scatter hull far (map (const true) far))).2
  |> chosen

entry agree [n] (xs: [n]i32) (ys: [n]i32) : bool =
  let expected = rows xs ys
  in equal expected (nested xs ys) && equal expected (flat xs ys)
