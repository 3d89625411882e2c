-- Sizes of elements: those that differ are bound by the sequence, in whatever order functions and sequences are written.
entry sums (ls: seq ([]i32)) : seq i32 = seq.map i32.sum ls

entry piped (ls: seq ([]i32)) : i32 = ls |> seq.map (\l -> i32.sum l) |> seq.reduce (+) 0

entry longer (ls: seq ([]i32)) : seq ([]i32) = ls |> seq.map (\l -> l ++ [0]) |> seq.map (map (+ 1))

entry rows [n] (ls: seq ([n]i32)) : [n]i32 = seq.reduce (map2 (+)) (replicate n 0) ls

def twice 'a (s: seq a) : (seq a, seq a) = (s, s)

def both = {small = seq.iota 10, large = seq.filter (> 5) (seq.iota 100)}

entry main (xs: []i32) =
  let (a, b) = twice (seq.of_array xs)
  in (seq.length (seq.zip a b), seq.length both.small + seq.length both.large)
