-- Arrays of tuples in test blocks: each of their arrays is a value, or each component of the result is one, which is
-- then the first of its arrays. Each block has names of its own.
-- ==
-- entry: pairs
-- "two" input { 2i64 } output { [0i64, 1i64] [true, false] }
-- "two, counted otherwise" input { 2i64 } output { [0i64, 1i64] }
-- "none" input { 0i64 } auto output
entry pairs (n: i64) : [n](i64, bool) = tabulate n (\i -> (i, i == 0))

-- ==
-- entry: nested
-- "two" input { 2i64 } output { [0i64, 1i64] [true, false] 2i64 }
-- "two, counted otherwise" input { 2i64 } output { [0i64, 1i64] 2i64 }
entry nested (n: i64) = (pairs n, n)

-- ==
-- entry: firsts
-- "two" input { [1i64, 2i64] [true, false] } output { [1i64, 2i64] }
-- "made by a script" script input { pairs 2i64 } output { [0i64, 1i64] }
-- "put together by a script" script input { ([7i64], [true]) } output { [7i64] }
entry firsts (xs: [](i64, bool)) = map (.0) xs

-- ==
-- entry: shape
-- input { [empty([0]i32)] } output { 1i64 0i64 }
-- input { [empty([0]i32), empty([0]i32)] } output { 2i64 0i64 }
-- input { empty([3][0]i32) } output { 3i64 0i64 }
-- script input { [empty([0]i32)] } output { 1i64 0i64 }
entry shape [n] [m] (_: [n][m]i32) = (n, m)
