-- PageRank: each page hands its rank on to the pages that it links to, in equal parts. A graph is, for each page, the pages
-- that link to it, one page after the other; and the number of links on each page.
import "lib/rows"

-- ==
-- entry: nested flat rows
-- "a ring" nobench input { 5i32 [0i64, 1i64, 2i64, 3i64, 4i64] [3, 0, 1, 2] [1, 1, 1, 1] }
-- output { [0.25f32, 0.25f32, 0.25f32, 0.25f32] }
-- "a star" nobench input { 1i32 [0i64, 3i64, 3i64, 3i64, 3i64] [1, 2, 3] [0, 1, 1, 1] }
-- output { [0.728125f32, 0.090625f32, 0.090625f32, 0.090625f32] }
-- "8M links" notest script input { uniform 1000000i64 8i64 }
-- "zipf 16M" notest script input { power 1000000i64 16000000i64 }

-- ==
-- entry: agree
-- nobench script input { uniform 64i64 5i64 } output { true }
-- nobench script input { power 100i64 700i64 } output { true }

def damping = 0.85f32

def graph [n] (sizes: [n]i64) : ?[m].(i32, [n + 1]i64, [m]i32, [n]i32) =
  let offsets = offsets sizes
  let m = offsets[n]
  let sources = map (\i -> i32.i64 (hash i % n)) (iota m)
  in (10, offsets, sources, hist (+) 0 n (map i64.i32 sources) (replicate m 1))

entry uniform (n: i64) (size: i64) = graph (replicate n size)

entry power (n: i64) (total: i64) = graph (zipf n total)

-- What `n` pages have in the beginning.
def first (n: i64) : *[n]f32 = replicate n (1 / f32.i64 n)

-- What each page hands on over each of its links.
def shares [n] (ranks: [n]f32) (links: [n]i32) : [n]f32 =
  map2 (\rank k -> if k == 0 then 0 else rank / f32.i32 k) ranks links

-- What all pages get: from nowhere, and from pages without links.
def base [n] (ranks: [n]f32) (links: [n]i32) : f32 =
  let lost = f32.sum (map2 (\rank k -> if k == 0 then rank else 0) ranks links)
  in (1 - damping + damping * lost) / f32.i64 n

entry nested [n] [m] (steps: i32) (offsets: [n + 1]i64) (sources: [m]i32) (links: [n]i32) : [n]f32 =
  loop ranks = first n for _i < steps do
    let (shares, base) = (shares ranks links, base ranks links)
    in map (\i ->
              base + damping * f32.sum (map (\s -> shares[s]) sources[offsets[i]:offsets[i + 1]]))
           (iota n)

entry flat [n] [m] (steps: i32) (offsets: [n + 1]i64) (sources: [m]i32) (links: [n]i32) : [n]f32 =
  let heads = heads m offsets
  in loop ranks = first n for _i < steps do
       let (shares, base) = (shares ranks links, base ranks links)
       in map (\sum -> base + damping * sum)
              (segmented_reduce (+) 0 offsets heads (map (\s -> shares[s]) sources))

entry rows [n] [m] (steps: i32) (offsets: [n + 1]i64) (sources: [m]i32) (links: [n]i32) : [n]f32 =
  loop ranks = first n for _i < steps do
    let (shares, base) = (shares ranks links, base ranks links)
    let row i = loop sum = 0 for j in offsets[i]..<offsets[i + 1] do sum + shares[sources[j]]
    in map (\i -> base + damping * row i) (iota n)

entry agree [n] [m] (steps: i32) (offsets: [n + 1]i64) (sources: [m]i32) (links: [n]i32) : bool =
  let expected = rows steps offsets sources links
  let same x y = f32.abs (x - y) <= 1e-5 * x
  in and (map2 same expected (nested steps offsets sources links))
     && and (map2 same expected (flat steps offsets sources links))
     && f32.abs (f32.sum expected - 1) < 1e-4
