-- For a number of rounds, over an array, and as long as something holds.
entry count (n: i64) : i64 = loop s = 0 for i < n do s + i * i

entry over (xs: []i32) : i32 = loop m = 0 for x in xs do i32.max m x

entry as_long_as (x: i32) : (i32, i32) =
  loop (x, k) = (x, 0) while x != 1 do (if x % 2 == 0 then x / 2 else 3 * x + 1, k + 1)
