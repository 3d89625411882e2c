-- Arguments and results from files; formats may be mixed.
-- ==
-- input @ data/numbers.in
-- output @ data/squares.out
-- input @ data/numbers.in

entry main (xs: []i32) : []i32 = map (\x -> x * x) xs
