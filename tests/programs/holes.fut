-- Holes may stand for functions, too.
-- ==
-- input { 0 } error: hole
-- input { 1 } error: hole

entry main (x: i32) : i32 = if x == 0 then ??? x (+ 1) else i32.sum ((??? : i32 -> [3]i32) x)
