-- Breadth-first search: how far each vertex of a graph is from the first one, or -1. The edges of each vertex are stored one
-- after the other.
import "lib/rows"

-- ==
-- entry: nested flat rows
-- nobench input { [0i64, 2i64, 3i64, 3i64, 4i64, 4i64] [1, 2, 3, 0] } output { [0, 1, 1, 2, -1] }
-- nobench input { [0i64, 0i64] empty([0]i32) } output { [0] }
-- "8M edges" notest script input { uniform 1000000i64 8i64 }
-- "zipf 16M" notest script input { power 1000000i64 16000000i64 }
-- "a grid of 10^6" notest script input { grid 1000i64 }

-- ==
-- entry: agree
-- nobench script input { uniform 30i64 3i64 } output { true }
-- nobench script input { power 40i64 200i64 } output { true }
-- nobench script input { grid 3i64 } output { true }

def graph [n] (sizes: [n]i64) : ?[m].([n + 1]i64, [m]i32) =
  let offsets = offsets sizes
  in (offsets, map (\i -> i32.i64 (hash i % n)) (iota offsets[n]))

entry uniform (n: i64) (size: i64) = graph (replicate n size)

entry power (n: i64) (total: i64) = graph (zipf n total)

-- Each vertex of a grid has edges to its four neighbours, across the borders: many steps, and few vertices in each.
entry grid (n: i64) : ?[k][m].([k]i64, [m]i32) =
  let edges i =
    let (x, y) = (i / n, i % n)
    let at x y = i32.i64 (x % n * n + y % n)
    in [at (x + 1) y, at (x + n - 1) y, at x (y + 1), at x (y + n - 1)]
  in (map (* 4) (iota (n * n + 1)), flatten (map edges (iota (n * n))))

-- The search. `expand` gives the ends of all edges from some vertices.
def search [k] (expand: (f: i64) -> [f]i64 -> []i32) (_offsets: [k]i64) : [k - 1]i32 =
  let n = k - 1
  let start = map (\i -> if i == 0 then 0 else -1) (iota n)
  in (loop (distances, winners, frontier, step) =
        (start, replicate n i64.highest, take (i64.min 1 n) [0i64], 1)
      while !(null frontier) do
        let size = length frontier
        let ends = expand size (frontier :> [size]i64)
        let reached = filter (\v -> distances[v] < 0) (map i64.i32 ends)
        let distances = scatter distances reached (map (const step) reached)
        -- A vertex that several edges lead to is kept once.
        let winners = reduce_by_index winners i64.min i64.highest reached (indices reached)
        let frontier =
          filter (\i -> winners[reached[i]] == i) (indices reached) |> map (\i -> reached[i])
        in (distances, winners, frontier, step + 1)).0

entry nested [k] [m] (offsets: [k]i64) (edges: [m]i32) : [k - 1]i32 =
  search (\f (frontier: [f]i64) ->
            let (_, _, _, ends) = flatmap' (\v -> edges[offsets[v]:offsets[v + 1]]) frontier
            in ends)
         offsets

entry flat [k] [m] (begins: [k]i64) (edges: [m]i32) : [k - 1]i32 =
  search (\f (frontier: [f]i64) ->
            let places = offsets (map (\v -> begins[v + 1] - begins[v]) frontier)
            let total = last places
            in map2 (\i o -> edges[begins[frontier[o]] + i - places[o]])
                    (iota total)
                    (owners total places))
         begins

entry rows [k] [m] (begins: [k]i64) (edges: [m]i32) : [k - 1]i32 =
  search (\f (frontier: [f]i64) ->
            let places = offsets (map (\v -> begins[v + 1] - begins[v]) frontier)
            let total = last places
            let write (acc: *intrinsics.acc ([total]i32)) o =
              let v = frontier[o]
              in loop acc for i < begins[v + 1] - begins[v] do
                   intrinsics.acc_write acc (places[o] + i) edges[begins[v] + i]
            in intrinsics.scatter_stream (replicate total 0) write (indices frontier))
         begins

entry agree [k] [m] (offsets: [k]i64) (edges: [m]i32) : bool =
  let expected = rows offsets edges
  in and (map2 (==) expected (nested offsets edges))
     && and (map2 (==) expected (flat offsets edges))
