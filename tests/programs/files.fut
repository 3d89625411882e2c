-- Arguments and results from files; formats may be mixed, and files compressed.
-- ==
-- input @ data/numbers.in
-- output @ data/squares.out
-- input @ data/numbers.in
-- input @ data/numbers.in.gz
-- output @ data/squares.out.gz

entry main (xs: []i32) : []i32 = map (\x -> x * x) xs

-- ==
-- entry: scaled
-- input @ data/untyped.in
-- output { [2.5f32, 5.0f32] }
entry scaled (x: f32) (xs: []i64) : []f32 = map (f32.i64 >-> (* x)) xs
