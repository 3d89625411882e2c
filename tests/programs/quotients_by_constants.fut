-- Quotients and remainders by constants, of a number and of its negation: C compilers must not take one for the negation of the other, which it is not if the
-- number has no negation.

-- ==
-- entry: i64s
-- input { [-9223372036854775808i64, -7i64, 0i64, 6i64, 9223372036854775807i64] }
-- output { [1i64, 2i64, 0i64, 0i64, 1i64] [1i64, 1i64, 0i64, 0i64, 2i64]
--          [-3074457345618258603i64, -3i64, 0i64, 2i64, 3074457345618258602i64] [-3074457345618258603i64, 2i64, 0i64, -2i64, -3074457345618258603i64] }
entry i64s (xs: []i64) = unzip4 (map (\x -> (x % 3, (0 - x) % 3, x / 3, (0 - x) / 3)) xs)

-- ==
-- entry: towards_zero
-- input { [-9223372036854775808i64, -7i64, 0i64, 6i64, 9223372036854775807i64] }
-- output { [-2i64, -1i64, 0i64, 0i64, 1i64] [-2i64, 1i64, 0i64, 0i64, -1i64]
--          [-3074457345618258602i64, -2i64, 0i64, 2i64, 3074457345618258602i64] [-3074457345618258602i64, 2i64, 0i64, -2i64, -3074457345618258602i64] }
entry towards_zero (xs: []i64) = unzip4 (map (\x -> (x %% 3, (0 - x) %% 3, x // 3, (0 - x) // 3)) xs)

-- ==
-- entry: i32s
-- input { [-2147483648i32, -8i32, -7i32, 0i32, 13i32, 2147483647i32] }
-- output { [-306783379i32, -2i32, -1i32, 0i32, 1i32, 306783378i32] [5i32, 6i32, 0i32, 0i32, 6i32, 1i32]
--          [-306783379i32, 1i32, 1i32, 0i32, -2i32, -306783379i32] [-306783378i32, -1i32, -1i32, 0i32, 1i32, 306783378i32] }
entry i32s (xs: []i32) = unzip4 (map (\x -> (x / 7, x % 7, (0 - x) / 7, x // 7)) xs)

-- Every number by every constant, against the quotient by a number that is not known.
-- ==
-- entry: i8s
-- input { [1i8, 2i8, 3i8, 5i8, 64i8, 100i8, 127i8] }
-- output { true }
entry i8s (known: [7]i8) =
  let all f g = and (tabulate 256 (\i -> let x = i8.i64 (i - 128) in f x == g x))
  let agrees d by_div by_mod by_quot by_rem =
    all by_div (/ d) && all by_mod (% d) && all by_quot (// d) && all by_rem (%% d)
  in agrees known[0] (/ 1) (% 1) (// 1) (%% 1)
     && agrees known[1] (/ 2) (% 2) (// 2) (%% 2)
     && agrees known[2] (/ 3) (% 3) (// 3) (%% 3)
     && agrees known[3] (/ 5) (% 5) (// 5) (%% 5)
     && agrees known[4] (/ 64) (% 64) (// 64) (%% 64)
     && agrees known[5] (/ 100) (% 100) (// 100) (%% 100)
     && agrees known[6] (/ 127) (% 127) (// 127) (%% 127)
